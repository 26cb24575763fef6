//! Reads a text: declarations, labels, instructions, with the types of all operands.

use std::collections::HashMap;

use super::instructions::{Action, Compute, PtxOperand, PtxStep, RegisterType, named, width};
use super::{DeviceMemory, KernelCode, KernelParameter, PtxCode, PtxModule, PtxProblem, problem};

const HEADER: [&str; 3] = [".version 7.0", ".target sm_70", ".address_size 64"];
/// Where the numbers beside functions begin.
const CONSTANTS: u64 = 0x1_0000;

/// PtxLines that are not empty, with their numbers.
struct PtxLines<'t> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'t>>>,
    at: usize,
}

impl<'t> PtxLines<'t> {
    fn next(&mut self) -> Option<&'t str> {
        loop {
            let (at, line) = self.rest.next()?;
            self.at = at + 1;
            if !line.trim().is_empty() {
                return Some(line.trim());
            }
        }
    }

    fn expect(&mut self) -> Result<&'t str, PtxProblem> {
        self.next().ok_or_else(|| PtxProblem("the text ends too early".to_owned()))
    }
}

/// Numbers beside functions: where they begin, how many bytes they have, and whether they are in the space of constants.
#[derive(Clone, Copy)]
struct DeclaredNumbers {
    place: u64,
    bytes: u64,
    is_const: bool,
}

/// What was declared so far.
struct Reader {
    module: PtxModule,
    functions: HashMap<String, (usize, usize)>,
    constants: HashMap<String, DeclaredNumbers>,
}

pub(super) fn module(text: &str) -> Result<PtxModule, PtxProblem> {
    let mut lines = PtxLines { rest: text.lines().enumerate().peekable(), at: 0 };
    let module =
        PtxModule { kernels: HashMap::new(), functions: Vec::new(), constants: DeviceMemory::beginning_at(CONSTANTS) };
    let mut reader = Reader { module, functions: HashMap::new(), constants: HashMap::new() };
    match reader.read(&mut lines) {
        Ok(()) => Ok(reader.module),
        Err(PtxProblem(what)) => problem(format!("line {}: {what}", lines.at)),
    }
}

impl Reader {
    fn read(&mut self, lines: &mut PtxLines<'_>) -> Result<(), PtxProblem> {
        for wanted in HEADER {
            if lines.expect()? != wanted {
                return problem(format!("`{wanted}` is expected"));
            }
        }
        while let Some(line) = lines.next() {
            let numbers = [".global", ".const"].map(|space| line.strip_prefix(space));
            if let Some(rest) = numbers.into_iter().flatten().find_map(|rest| rest.strip_prefix(" .align 8 .b64 ")) {
                self.constant(rest, line.starts_with(".const"))?;
            } else if let Some(rest) = line.strip_prefix(".func (.reg .f64 %result) ") {
                self.function(rest, lines)?;
            } else if let Some(rest) = line.strip_prefix(".visible .entry ") {
                self.kernel(rest, lines)?;
            } else {
                return problem(format!("`{line}`"));
            }
        }
        Ok(())
    }

    /// `name[3] = {0x…, 0x…, 0x…};`
    fn constant(&mut self, rest: &str, is_const: bool) -> Result<(), PtxProblem> {
        let parts = rest.strip_suffix("};").and_then(|rest| rest.split_once("] = {"));
        let Some(((name, count), list)) = parts.and_then(|(head, list)| Some((head.split_once('[')?, list))) else {
            return problem("numbers that are not read");
        };
        let numbers: Result<Vec<u64>, _> = list.split(", ").map(hexadecimal).collect();
        let bytes: Vec<u8> = numbers?.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        if count.parse() != Ok(bytes.len() / 8) {
            return problem(format!("{name} has another length"));
        }
        let place = self.module.constants.put_bytes(&bytes);
        self.named(name)?;
        self.constants.insert(name.to_owned(), DeclaredNumbers { place, bytes: bytes.len() as u64, is_const });
        Ok(())
    }

    /// A name that is new.
    fn named(&self, name: &str) -> Result<(), PtxProblem> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_letter) || name.starts_with(|c: char| c.is_ascii_digit()) {
            return problem(format!("`{name}` is no name"));
        }
        let known = self.constants.contains_key(name)
            || self.functions.contains_key(name)
            || self.module.kernels.contains_key(name);
        if known { problem(format!("{name} is declared twice")) } else { Ok(()) }
    }

    /// `name (.reg .f64 %argument0, …)` and a body.
    fn function(&mut self, rest: &str, lines: &mut PtxLines<'_>) -> Result<(), PtxProblem> {
        let Some((name, list)) = rest.strip_suffix(')').and_then(|rest| rest.split_once(" (")) else {
            return problem("a function that is not read");
        };
        self.named(name)?;
        let mut registers = Declared::default();
        let result = registers.declare("%result", RegisterType::Number)?;
        let mut arguments = Vec::new();
        for argument in list.split(", ") {
            let Some(name) = argument.strip_prefix(".reg .f64 ") else { return problem(format!("`{argument}`")) };
            arguments.push(registers.declare(name, RegisterType::Number)?);
        }
        let count = arguments.len();
        let code = PtxCode { steps: Vec::new(), registers: 0, arguments, result: Some(result) };
        let code = self.body(code, registers, &[], lines)?;
        self.functions.insert(name.to_owned(), (self.module.functions.len(), count));
        self.module.functions.push(code);
        Ok(())
    }

    fn kernel(&mut self, rest: &str, lines: &mut PtxLines<'_>) -> Result<(), PtxProblem> {
        let Some(name) = rest.strip_suffix('(') else { return problem("a kernel that is not read") };
        self.named(name)?;
        let mut parameters: Vec<(String, KernelParameter)> = Vec::new();
        loop {
            let line = lines.expect()?;
            let (declared, more) = line.strip_suffix(',').map_or((line, false), |declared| (declared, true));
            let parameter = if let Some(name) = declared.strip_prefix(".param .u64 ") {
                (name.to_owned(), KernelParameter::Long)
            } else if let Some(name) = declared.strip_prefix(".param .u32 ") {
                (name.to_owned(), KernelParameter::Word)
            } else {
                let bytes = declared.strip_prefix(".param .align 8 .b8 ").and_then(|rest| rest.strip_suffix(']'));
                match bytes.and_then(|rest| rest.split_once('[')).map(|(name, count)| (name, count.parse())) {
                    Some((name, Ok(count))) => (name.to_owned(), KernelParameter::Bytes(count)),
                    _ => return problem(format!("`{line}`")),
                }
            };
            if parameters.iter().any(|(name, _)| *name == parameter.0) {
                return problem(format!("{} is declared twice", parameter.0));
            }
            // An assembler breaks down where a parameter is called as a kernel is.
            if parameter.0 == name || self.named(parameter.0.trim_end_matches('$')).is_err() {
                return problem(format!("`{}` is no name for a parameter", parameter.0));
            }
            parameters.push(parameter);
            if !more {
                break;
            }
        }
        if lines.expect()? != ")" {
            return problem("`)` is expected");
        }
        let code = PtxCode { steps: Vec::new(), registers: 0, arguments: Vec::new(), result: None };
        let code = self.body(code, Declared::default(), &parameters, lines)?;
        self.module.kernels.insert(name.to_owned(), KernelCode { code, parameters });
        Ok(())
    }

    fn body(
        &self,
        mut code: PtxCode,
        mut registers: Declared,
        parameters: &[(String, KernelParameter)],
        lines: &mut PtxLines<'_>,
    ) -> Result<PtxCode, PtxProblem> {
        if lines.expect()? != "{" {
            return problem("`{` is expected");
        }
        let mut labels: HashMap<&str, usize> = HashMap::new();
        let mut jumps: Vec<(usize, &str)> = Vec::new();
        loop {
            let line = lines.expect()?;
            if line == "}" {
                break;
            }
            if let Some(label) = line.strip_suffix(':') {
                if labels.insert(label, code.steps.len()).is_some() {
                    return problem(format!("{label} is placed twice"));
                }
                continue;
            }
            let Some(line) = line.strip_suffix(';') else { return problem(format!("`{line}` does not end")) };
            if let Some(declared) = line.strip_prefix(".reg ") {
                if !code.steps.is_empty() {
                    return problem("a declaration behind instructions");
                }
                registers.declare_all(declared)?;
                continue;
            }
            let (guard, line) = match line.strip_prefix('@') {
                None => (None, line),
                Some(rest) => {
                    let Some((guard, line)) = rest.split_once(' ') else { return problem("a guard alone") };
                    let (wanted, register) = guard.strip_prefix('!').map_or((true, guard), |rest| (false, rest));
                    let (RegisterType::Truth, register) = registers.find(register)? else {
                        return problem(format!("{register} is no condition"));
                    };
                    (Some((register, wanted)), line)
                }
            };
            let action = if let Some(label) = line.strip_prefix("bra ") {
                jumps.push((code.steps.len(), label));
                Action::Jump(0)
            } else {
                self.action(line, &registers, parameters)?
            };
            code.steps.push(PtxStep { guard, action });
        }
        for (at, label) in jumps {
            let Some(to) = labels.get(label) else { return problem(format!("{label} is nowhere")) };
            code.steps[at].action = Action::Jump(*to);
        }
        code.registers = registers.count as usize;
        Ok(code)
    }

    fn action(
        &self,
        line: &str,
        registers: &Declared,
        parameters: &[(String, KernelParameter)],
    ) -> Result<Action, PtxProblem> {
        if line == "ret" {
            return Ok(Action::Return);
        }
        let Some((name, rest)) = line.split_once(' ') else { return problem(format!("`{line}`")) };
        if name == "call" {
            return self.call(rest, registers);
        }
        let operands: Vec<&str> = rest.split(", ").collect();
        if let (Some(kind), [to, place]) = (name.strip_prefix("ld.param."), &operands[..]) {
            return load_parameter(kind, registers.find(to)?, place, parameters);
        }
        if let ("ld.const.f64", [to, place]) = (name, &operands[..]) {
            let (numbers, offset) = bracketed(place)?;
            return match (self.constants.get(numbers), registers.find(to)?) {
                (Some(DeclaredNumbers { place, bytes, is_const: true }), (RegisterType::Number, to))
                    if offset + 8 <= *bytes =>
                {
                    Ok(Action::Load { to, place: PtxOperand::Bits(*place), offset, width: 8 })
                }
                _ => problem(format!("`{line}` loads something else")),
            };
        }
        if let (Some(kind), [to, place]) = (name.strip_prefix("ld.global."), &operands[..]) {
            let (letter, width) = width(kind).ok_or_else(|| PtxProblem(format!("`{name}`")))?;
            let (place, offset) = registers.place(place)?;
            return match registers.find(to)? {
                (own, to) if RegisterType::of(letter) == Some(own) => Ok(Action::Load { to, place, offset, width }),
                _ => problem(format!("{to} has another type")),
            };
        }
        if let (Some(kind), [place, from]) = (name.strip_prefix("st.global."), &operands[..]) {
            let (letter, width) = width(kind).ok_or_else(|| PtxProblem(format!("`{name}`")))?;
            let (place, offset) = registers.place(place)?;
            let from = registers.operand(from, letter)?;
            return Ok(Action::Store { place, offset, from, width });
        }
        if let ("mov.u32", [to, special]) = (name, &operands[..])
            && let Some(which) = ["%ctaid.x", "%ntid.x", "%tid.x"].iter().position(|own| own == special)
        {
            let (RegisterType::Word, to) = registers.find(to)? else { return problem(format!("{to} is no word")) };
            return Ok(Action::Special(which, to));
        }
        if let ("mov.u64", [to, constant]) = (name, &operands[..])
            && let Some(DeclaredNumbers { place, is_const: false, .. }) = self.constants.get(*constant)
        {
            let (RegisterType::Long, to) = registers.find(to)? else { return problem(format!("{to} is no address")) };
            return Ok(Action::Compute(Compute::One(|place| place), to, [PtxOperand::Bits(*place); 3]));
        }
        let mut last = PtxProblem(format!("`{name}` is not printed"));
        for (types, compute) in named(name) {
            if types.len() != operands.len() {
                last = PtxProblem(format!("`{line}` has another number of operands"));
                continue;
            }
            match registers.operands(types, &operands) {
                Ok((to, operands)) => return Ok(Action::Compute(compute, to, operands)),
                Err(problem) => last = problem,
            }
        }
        Err(last)
    }

    /// `(%d1), name, (%d2, %d3)`
    fn call(&self, rest: &str, registers: &Declared) -> Result<Action, PtxProblem> {
        let parts = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let parts = parts.and_then(|rest| rest.split_once("), ")).and_then(|(result, rest)| {
            let (name, arguments) = rest.split_once(", (")?;
            Some((result, name, arguments))
        });
        let Some((result, name, arguments)) = parts else { return problem("a call that is not read") };
        let Some((function, count)) = self.functions.get(name) else { return problem(format!("no function {name}")) };
        let arguments: Result<Vec<PtxOperand>, _> =
            arguments.split(", ").map(|text| registers.operand(text, 'd')).collect();
        let arguments = arguments?;
        let (RegisterType::Number, result) = registers.find(result)? else {
            return problem(format!("{result} is no number"));
        };
        match arguments.len() == *count {
            true => Ok(Action::Call { function: *function, result, arguments }),
            false => problem(format!("{name} takes {count} arguments")),
        }
    }
}

/// `[name]` or `[name+8]`.
fn bracketed(text: &str) -> Result<(&str, u64), PtxProblem> {
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return problem(format!("`{text}` is no place"));
    };
    match inner.split_once('+') {
        None => Ok((inner, 0)),
        Some((name, offset)) => match offset.parse() {
            Ok(offset) => Ok((name, offset)),
            Err(_) => problem(format!("`{text}` has no offset")),
        },
    }
}

fn load_parameter(
    kind: &str,
    (own, to): (RegisterType, u32),
    place: &str,
    parameters: &[(String, KernelParameter)],
) -> Result<Action, PtxProblem> {
    let (name, offset) = bracketed(place)?;
    let Some(parameter) = parameters.iter().position(|(known, _)| known == name) else {
        return problem(format!("no parameter {name}"));
    };
    let offset = offset as usize;
    let fits = match (parameters[parameter].1, kind, own) {
        (KernelParameter::Long, "u64", RegisterType::Long) | (KernelParameter::Word, "u32", RegisterType::Word) => {
            offset == 0
        }
        (KernelParameter::Bytes(count), "f64", RegisterType::Number) => offset.is_multiple_of(8) && offset + 8 <= count,
        _ => false,
    };
    let width = if kind == "u32" { 4 } else { 8 };
    match fits {
        true => Ok(Action::LoadParameter { to, parameter, offset, width }),
        false => problem(format!("`{place}` is loaded as {kind}")),
    }
}

fn hexadecimal(text: &str) -> Result<u64, PtxProblem> {
    let digits = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
    match digits {
        Some(Ok(bits)) => Ok(bits),
        _ => problem(format!("`{text}` is no number")),
    }
}

/// RegisterFile by their names.
#[derive(Default)]
struct Declared {
    single: HashMap<String, (RegisterType, u32)>,
    /// By prefixes: the type, the first, and how many.
    many: HashMap<String, (RegisterType, u32, u32)>,
    count: u32,
}

impl Declared {
    fn declare(&mut self, name: &str, kind: RegisterType) -> Result<u32, PtxProblem> {
        let at = self.count;
        self.count += 1;
        match self.single.insert(name.to_owned(), (kind, at)) {
            None => Ok(at),
            Some(_) => problem(format!("{name} is declared twice")),
        }
    }

    /// `.f64 %d<12>`
    fn declare_all(&mut self, text: &str) -> Result<(), PtxProblem> {
        let parts = text.strip_suffix('>').and_then(|rest| rest.split_once('<'));
        let Some((head, Ok(count))) = parts.map(|(head, count)| (head, count.parse::<u32>())) else {
            return problem(format!("`{text}` is not read"));
        };
        let (kind, prefix) = match head.split_once(' ') {
            Some((".f64", prefix)) => (RegisterType::Number, prefix),
            Some((".b64", prefix)) => (RegisterType::Long, prefix),
            Some((".b32", prefix)) => (RegisterType::Word, prefix),
            Some((".pred", prefix)) => (RegisterType::Truth, prefix),
            _ => return problem(format!("`{text}` has no type")),
        };
        if self.many.insert(prefix.to_owned(), (kind, self.count, count)).is_some() {
            return problem(format!("{prefix} is declared twice"));
        }
        self.count += count;
        Ok(())
    }

    fn find(&self, name: &str) -> Result<(RegisterType, u32), PtxProblem> {
        if let Some(found) = self.single.get(name) {
            return Ok(*found);
        }
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let prefix = &name[..name.len() - digits.len()];
        match (self.many.get(prefix), digits.parse::<u32>()) {
            (Some((kind, first, count)), Ok(number)) if number < *count => Ok((*kind, first + number)),
            _ => problem(format!("{name} is not declared")),
        }
    }

    /// A register of a type, or a number that stands for one.
    fn operand(&self, text: &str, letter: char) -> Result<PtxOperand, PtxProblem> {
        let kind = RegisterType::of(letter);
        if text.starts_with('%') {
            let (own, register) = self.find(text)?;
            return match Some(own) == kind {
                true => Ok(PtxOperand::Register(register)),
                false => problem(format!("{text} has another type")),
            };
        }
        match kind {
            Some(RegisterType::Number) => {
                match text.strip_prefix("0d").map(|digits| (digits.len(), u64::from_str_radix(digits, 16))) {
                    Some((16, Ok(bits))) => Ok(PtxOperand::Bits(bits)),
                    _ => problem(format!("`{text}` is no number")),
                }
            }
            Some(RegisterType::Long) => Ok(PtxOperand::Bits(hexadecimal(text)?)),
            Some(RegisterType::Word) => match hexadecimal(text)? {
                bits if bits <= u64::from(u32::MAX) => Ok(PtxOperand::Bits(bits)),
                _ => problem(format!("`{text}` does not fit")),
            },
            _ => problem(format!("`{text}` is no condition")),
        }
    }

    /// The result and the operands of an instruction, with these types.
    fn operands(&self, types: &str, texts: &[&str]) -> Result<(u32, [PtxOperand; 3]), PtxProblem> {
        let mut letters = types.chars();
        let (own, to) = self.find(texts[0])?;
        if letters.next().and_then(RegisterType::of) != Some(own) {
            return problem(format!("{} has another type", texts[0]));
        }
        let mut operands = [PtxOperand::Bits(0); 3];
        for ((place, letter), text) in operands.iter_mut().zip(letters).zip(&texts[1..]) {
            *place = self.operand(text, letter)?;
        }
        Ok((to, operands))
    }

    fn place(&self, text: &str) -> Result<(PtxOperand, u64), PtxProblem> {
        let (name, offset) = bracketed(text)?;
        Ok((self.operand(name, 'l')?, offset))
    }
}
