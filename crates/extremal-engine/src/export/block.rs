//! A compiled block as formulas and the statements that solve it.

use extremal_eval::source::{FormulaSource, InputPlace, ProgramInput, SourceFile, SourceStatement};
use extremal_solve::{KernelLayout, SolveLayout};

/// A compiled block by a name, of whose outputs some are wanted.
pub(super) struct ExportBlock {
    name: &'static str,
    comment: &'static str,
    layout: KernelLayout,
    inputs: Vec<Vec<ProgramInput>>,
    outputs: Vec<(usize, usize)>,
    /// Which solves the outputs need.
    needed: Vec<bool>,
}

impl ExportBlock {
    /// `outputs` are those of the block, each with its place in what is written; `parameters` and `given` are its inputs.
    pub fn new(
        [name, comment]: [&'static str; 2],
        layout: KernelLayout,
        parameters: &[ProgramInput],
        given: &[String],
        outputs: Vec<(usize, usize)>,
    ) -> ExportBlock {
        let place = |(at, name): (usize, &String)| ProgramInput { name: name.clone(), place: InputPlace::Given(at) };
        let mut inputs = vec![parameters.to_vec(), given.iter().enumerate().map(place).collect()];
        let mut first = 0;
        for solve in &layout.solves {
            let found = (first..first + solve.unknowns)
                .map(|at| ProgramInput { name: format!("u{}", at + 1), place: InputPlace::Found(at) });
            inputs.push(found.collect());
            first += solve.unknowns;
        }
        let mut block =
            ExportBlock { name, comment, needed: vec![false; layout.solves.len()], layout, inputs, outputs };
        block.find_needed();
        block
    }

    /// A solve is needed where its unknowns are read by the outputs, or by equations that are needed.
    fn find_needed(&mut self) {
        let mut read = self.source("", "", self.layout.outputs, &self.outputs).reads().1;
        for at in (0..self.needed.len()).rev() {
            let first = self.first(at);
            let own = first..first + self.layout.solves[at].unknowns;
            self.needed[at] = read.iter().any(|place| own.contains(place));
            if self.needed[at] {
                let solve = &self.layout.solves[at];
                read.extend(self.source("", "", solve.check, &residual_and_sizes(solve)).reads().1);
                read.extend(self.source("", "", solve.guess, &guess_places(solve, first)).reads().1);
            }
        }
    }

    fn first(&self, solve: usize) -> usize {
        self.layout.solves[..solve].iter().map(|solve| solve.unknowns).sum()
    }

    fn source<'a>(
        &'a self,
        name: &'a str,
        comment: &'a str,
        entry: usize,
        outputs: &'a [(usize, usize)],
    ) -> FormulaSource<'a> {
        FormulaSource { name, comment, program: &self.layout.program, entry, outputs, inputs: &self.inputs }
    }

    /// How many unknowns the block has.
    pub fn unknowns(&self) -> usize {
        self.first(self.needed.len())
    }

    /// Is nothing solved?
    pub fn is_explicit(&self) -> bool {
        !self.needed.contains(&true)
    }

    fn solves(&self) -> impl Iterator<Item = (usize, &SolveLayout)> {
        self.layout.solves.iter().enumerate().filter(|(at, _)| self.needed[*at])
    }

    /// Does a guess read what is given from this place on?
    pub fn guesses_from(&self, place: usize) -> bool {
        self.solves().filter(|(_, solve)| !solve.linear).any(|(at, solve)| {
            let places = guess_places(solve, self.first(at));
            self.source("", "", solve.guess, &places).reads().0.iter().any(|given| *given >= place)
        })
    }

    /// Does a solve begin elsewhere than at zero?
    fn guesses(&self, at: usize) -> bool {
        let solve = &self.layout.solves[at];
        let places = guess_places(solve, self.first(at));
        !solve.linear && !self.source("", "", solve.guess, &places).writes_nothing()
    }

    /// The names of the formulas of a solve.
    fn names(&self, solve: usize) -> [String; 3] {
        let number = if self.needed.len() > 1 { (solve + 1).to_string() } else { String::new() };
        ["guess", "equations", "sizes"].map(|what| format!("{}_{what}{number}", self.name))
    }

    fn results(&self) -> String {
        format!("{}_formulas", self.name)
    }

    /// How many operations its formulas have.
    pub fn operations(&self) -> usize {
        let of_solve = |solve: &SolveLayout| {
            let slopes = equation_places(solve);
            2 * self.source("", "", solve.slopes, &slopes).operations()
        };
        let solves: usize = self.solves().map(|(_, solve)| of_solve(solve)).sum();
        solves + self.source("", "", self.layout.outputs, &self.outputs).operations()
    }

    /// Writes its formulas.
    pub fn write(&self, file: &mut SourceFile) {
        for (at, solve) in self.solves() {
            let [guess, equations, sizes] = self.names(at);
            if self.guesses(at) {
                let places = guess_places(solve, self.first(at));
                file.formulas(&self.source(&guess, "A first guess of the unknowns.", solve.guess, &places));
            }
            let places = equation_places(solve);
            let comment = "Equations of the unknowns: residuals, then their slopes row by row.";
            file.formulas(&self.source(&equations, comment, solve.slopes, &places));
            let places = residual_and_sizes(solve);
            let comment = "The residuals again, then the sizes of their terms.";
            file.formulas(&self.source(&sizes, comment, solve.check, &places));
        }
        file.formulas(&self.source(&self.results(), self.comment, self.layout.outputs, &self.outputs));
    }

    /// Solves the block for what is given in one array; the unknowns are found in another, which is made, the outputs written to a third.
    pub fn statements(&self, given: &'static str, found: &'static str, out: &'static str) -> Vec<SourceStatement> {
        let mut statements = self.solving(given, found);
        let found = if self.is_explicit() { given } else { found };
        statements.push(SourceStatement::Call { formulas: self.results(), given, found, out });
        statements
    }

    /// The same without the outputs.
    pub fn solving(&self, given: &'static str, found: &'static str) -> Vec<SourceStatement> {
        let mut statements = Vec::new();
        if !self.is_explicit() {
            statements.push(SourceStatement::Array { name: found, length: self.unknowns() });
        }
        for (at, solve) in self.solves() {
            let [guess, equations, sizes] = self.names(at);
            if self.guesses(at) {
                statements.push(SourceStatement::Call { formulas: guess, given, found, out: found });
            }
            let (unknowns, first, linear) = (solve.unknowns, self.first(at), solve.linear);
            statements.push(SourceStatement::Solve { equations, sizes, unknowns, first, linear, given, found });
        }
        statements
    }
}

fn guess_places(solve: &SolveLayout, first: usize) -> Vec<(usize, usize)> {
    (0..solve.unknowns).map(|at| (at, first + at)).collect()
}

/// Residuals, then the matrix of their slopes by rows.
fn equation_places(solve: &SolveLayout) -> Vec<(usize, usize)> {
    let n = solve.unknowns;
    let slopes = solve.places.iter().enumerate().map(|(at, (row, column))| (n + at, n + row * n + column));
    (0..n).map(|at| (at, at)).chain(slopes).collect()
}

fn residual_and_sizes(solve: &SolveLayout) -> Vec<(usize, usize)> {
    (0..2 * solve.unknowns).map(|at| (solve.before_residual + at, at)).collect()
}
