//! Vectors and matrices, written out element by element.

use std::rc::Rc;

use super::super::ast::{Ast, AstKind, AstOperand, NodeId, OperandRange};
use super::super::error::SyntaxErrorKind as Kind;
use super::super::exact::{MAX_BITS, Overlong};
use super::super::functions::ArrayFunction;
use super::super::resolve::{Referent, Resolved};
use super::super::scope::{Binding, NameShape, NameUse};
use super::super::{ExprShape, ShapedExpr, TextSpan};
use super::{AstLowering, ElementIndex, LoweredValue};
use crate::Expr;

/// What is wrong with a vector or a matrix where a number is wanted. A name alone lacks an index.
pub(in crate::syntax) fn no_number(ast: &Ast, resolved: &Resolved<'_>, node: NodeId, found: ExprShape) -> Kind {
    if let (AstKind::Name { .. }, Referent::Name(place)) = (&ast.node(node).kind, resolved.nodes[node.index()]) {
        let (name, binding) = &resolved.names[place as usize];
        let name = (*name).to_owned();
        match &binding.shape {
            NameShape::Family(range) => return Kind::MissingIndex { name, count: count(range), first: *range.start() },
            NameShape::Matrix { rows, columns } => return Kind::MissingColumn { name, rows: *rows, columns: *columns },
            NameShape::Single | NameShape::Open => {}
        }
    }
    Kind::ExpectedScalar { found }
}

fn count(range: &std::ops::RangeInclusive<i64>) -> i64 {
    range.end().saturating_sub(*range.start()).saturating_add(1).max(0)
}

impl<'g> AstLowering<'_, 'g> {
    fn array(&self, shape: ExprShape, elements: Vec<Expr<'g>>) -> LoweredValue<'g> {
        LoweredValue::Array(Rc::new(ShapedExpr { shape, elements }))
    }

    /// Is there such an element? If not, that is reported.
    pub(super) fn is_in_range(&mut self, name: &str, shape: &NameShape, at: Option<ElementIndex>) -> bool {
        let Some(ElementIndex { node, index, column }) = at else { return true };
        let outside = |index: i64, first: i64, last: i64| {
            let name = name.to_owned();
            (!(first..=last).contains(&index)).then_some(Kind::IndexOutOfRange { name, index, first, last })
        };
        let problem = match (shape, column) {
            (NameShape::Family(_), Some((column, _))) => Some((column, Kind::NotAMatrix { name: name.to_owned() })),
            (NameShape::Family(range), None) => outside(index, *range.start(), *range.end()).map(|kind| (node, kind)),
            (NameShape::Matrix { rows, columns }, None) => {
                Some((node, Kind::MissingColumn { name: name.to_owned(), rows: *rows, columns: *columns }))
            }
            (NameShape::Matrix { rows, columns }, Some((node_of_column, column))) => {
                let row = outside(index, 1, *rows).map(|kind| (node, kind));
                row.or_else(|| outside(column, 1, *columns).map(|kind| (node_of_column, kind)))
            }
            (NameShape::Single | NameShape::Open, _) => None,
        };
        match problem {
            Some((node, kind)) => {
                self.fail(node, kind);
                false
            }
            None => true,
        }
    }

    /// One number by name.
    pub(super) fn single(&mut self, id: NodeId, binding: &Binding, reference: NameUse<'_>) -> LoweredValue<'g> {
        match self.context.scope.value(reference) {
            Ok(value) => LoweredValue::Number(value, binding.integer.filter(|_| reference.primes == 0)),
            Err(refusal) => self.fail(id, Kind::Refused { message: refusal.message, help: refusal.help }),
        }
    }

    /// All that a name without an index stands for.
    pub(super) fn whole(&mut self, id: NodeId, binding: &Binding, reference: NameUse<'_>) -> LoweredValue<'g> {
        let (rows, columns) = match &binding.shape {
            NameShape::Single | NameShape::Open => return self.single(id, binding, reference),
            NameShape::Family(range) => (range.clone(), None),
            NameShape::Matrix { rows, columns } => (1..=*rows, Some(*columns)),
        };
        let size = usize::try_from(count(&rows).saturating_mul(columns.unwrap_or(1))).unwrap_or(usize::MAX);
        if !self.spend(size) {
            return LoweredValue::Invalid;
        }
        let shape = match columns {
            Some(columns) => ExprShape::Matrix(count(&rows) as usize, columns as usize),
            None => ExprShape::Vector(size),
        };
        let mut elements = Vec::with_capacity(size);
        for row in rows {
            for column in 1..=columns.unwrap_or(1) {
                let element = NameUse { index: Some(row), column: columns.map(|_| column), ..reference };
                match self.single(id, binding, element) {
                    LoweredValue::Number(value, _) => elements.push(value),
                    _ => return LoweredValue::Invalid,
                }
            }
        }
        self.array(shape, elements)
    }

    /// An argument of the function whose value the text is.
    pub(super) fn argument(
        &mut self,
        id: NodeId,
        name: TextSpan,
        place: usize,
        at: Option<ElementIndex>,
        primes: u32,
    ) -> LoweredValue<'g> {
        let (name, value) = (self.ast.slice(name), self.arguments[place].clone());
        let value = match (value, at) {
            (value, None) => value,
            (LoweredValue::Array(array), Some(at)) => {
                let shape = match array.shape {
                    ExprShape::Matrix(rows, columns) => {
                        NameShape::Matrix { rows: rows as i64, columns: columns as i64 }
                    }
                    _ => NameShape::Family(1..=array.elements.len() as i64),
                };
                if !self.is_in_range(name, &shape, Some(at)) {
                    return LoweredValue::Invalid;
                }
                let element = match at.column {
                    Some((_, column)) => array.at(at.index as usize - 1, column as usize - 1),
                    None => array.elements[at.index as usize - 1],
                };
                LoweredValue::Number(element, element.as_number().and_then(|number| number.to_i64()))
            }
            (LoweredValue::Invalid, _) => LoweredValue::Invalid,
            (_, Some(_)) => self.fail(id, Kind::NotAFamily { name: name.to_owned(), what: "argument" }),
        };
        if primes == 0 { value } else { self.derivative(id, value, primes) }
    }

    /// A time derivative, by the scope.
    pub(super) fn derivative(&mut self, id: NodeId, value: LoweredValue<'g>, primes: u32) -> LoweredValue<'g> {
        let scope = self.context.scope;
        let derived = match value {
            LoweredValue::Number(value, _) => {
                scope.derivative(value, primes).map(|value| LoweredValue::Number(value, None))
            }
            LoweredValue::Array(array) => {
                array.try_map(|value| scope.derivative(*value, primes)).map(|array| LoweredValue::Array(Rc::new(array)))
            }
            LoweredValue::Condition(..) => return self.fail(id, Kind::ExpectedNumber),
            LoweredValue::Invalid => return LoweredValue::Invalid,
        };
        derived.unwrap_or_else(|refusal| self.fail(id, Kind::Refused { message: refusal.message, help: refusal.help }))
    }

    /// A vector, or a matrix of its rows.
    pub(super) fn list(&mut self, id: NodeId, items: &OperandRange) -> LoweredValue<'g> {
        let operands = self.ast.operands(items);
        let mut first = None;
        let mut elements = Vec::new();
        for operand in operands {
            let found = match &self.values[operand.node.index()] {
                LoweredValue::Number(value, _) => {
                    elements.push(*value);
                    ExprShape::Number
                }
                LoweredValue::Array(row) if matches!(row.shape, ExprShape::Vector(_)) => {
                    elements.extend(&row.elements);
                    row.shape
                }
                LoweredValue::Invalid => return LoweredValue::Invalid,
                _ => {
                    self.numeric(operand.node);
                    return LoweredValue::Invalid;
                }
            };
            let first = *first.get_or_insert(found);
            if first != found {
                return self.fail(operand.node, Kind::UnlikeItems { first, other: found });
            }
        }
        match first {
            Some(ExprShape::Vector(columns)) => self.array(ExprShape::Matrix(operands.len(), columns), elements),
            Some(_) => self.array(ExprShape::Vector(operands.len()), elements),
            None => self.fail(id, Kind::EmptyList),
        }
    }

    pub(super) fn has_arrays(&self, operands: &[AstOperand]) -> bool {
        operands.iter().any(|operand| matches!(self.values[operand.node.index()], LoweredValue::Array(_)))
    }

    pub(super) fn array_sum(&mut self, id: NodeId, operands: &[AstOperand]) -> LoweredValue<'g> {
        let operand = |o: &AstOperand| (o.node, self.values[o.node.index()].clone(), o.inverse);
        let terms = operands.iter().map(operand).collect();
        self.add_arrays(id, terms)
    }

    /// `Σ ±term`, with the nodes that the terms come from.
    pub(super) fn add_arrays(&mut self, id: NodeId, terms: Vec<(NodeId, LoweredValue<'g>, bool)>) -> LoweredValue<'g> {
        let mut arrays: Vec<(Rc<ShapedExpr<'g>>, bool)> = Vec::with_capacity(terms.len());
        let mut number = None;
        for (node, value, inverse) in terms {
            match value {
                LoweredValue::Array(array) => match arrays.first() {
                    Some((first, _)) if first.shape != array.shape => {
                        return self.fail(node, Kind::UnlikeSummands { left: first.shape, right: array.shape });
                    }
                    _ => arrays.push((array, inverse)),
                },
                LoweredValue::Number(..) => number = Some(node),
                LoweredValue::Condition(..) => return self.fail(node, Kind::ExpectedNumber),
                LoweredValue::Invalid => return LoweredValue::Invalid,
            }
        }
        let Some(shape) = arrays.first().map(|(first, _)| first.shape) else { return LoweredValue::Invalid };
        if let Some(node) = number {
            return self.fail(node, Kind::UnlikeSummands { left: shape, right: ExprShape::Number });
        }
        let mut elements = Vec::with_capacity(arrays[0].0.elements.len());
        for position in 0..arrays[0].0.elements.len() {
            let summands: Vec<_> = arrays.iter().map(|(array, inverse)| (array.elements[position], *inverse)).collect();
            match self.added(id, &summands) {
                Some(element) => elements.push(element),
                None => return LoweredValue::Invalid,
            }
        }
        self.array(shape, elements)
    }

    /// Numbers times the arrays between them, which are multiplied from the right: fewest operations where a vector stands last.
    pub(super) fn array_product(&mut self, id: NodeId, operands: &[AstOperand]) -> LoweredValue<'g> {
        let mut scalars: Vec<(Expr<'g>, bool)> = Vec::new();
        let mut arrays: Vec<(NodeId, Rc<ShapedExpr<'g>>)> = Vec::new();
        for operand in operands {
            match self.values[operand.node.index()].clone() {
                LoweredValue::Array(by) if operand.inverse => {
                    return self.fail(operand.node, Kind::NoQuotient { by: by.shape });
                }
                LoweredValue::Array(array) => arrays.push((operand.node, array)),
                _ => match self.numeric(operand.node) {
                    Some((value, _)) if operand.inverse && value.is_zero() => {
                        return self.fail(operand.node, Kind::DivisionByZero);
                    }
                    Some((value, _)) => scalars.push((value, operand.inverse)),
                    None => return LoweredValue::Invalid,
                },
            }
        }
        let Some((_, mut product)) = arrays.pop() else { return LoweredValue::Invalid };
        while let Some((node, left)) = arrays.pop() {
            match self.matrix_product(id, node, &left, &product) {
                Some(found) => product = Rc::new(found),
                None => return LoweredValue::Invalid,
            }
        }
        if scalars.is_empty() {
            return LoweredValue::Array(product);
        }
        let mut elements = Vec::with_capacity(product.elements.len());
        for element in &product.elements {
            let mut factors = scalars.clone();
            factors.push((*element, false));
            match self.multiplied(id, &factors) {
                Some(element) => elements.push(element),
                None => return LoweredValue::Invalid,
            }
        }
        self.array(product.shape, elements)
    }

    fn matrix_product(
        &mut self,
        id: NodeId,
        at: NodeId,
        left: &ShapedExpr<'g>,
        right: &ShapedExpr<'g>,
    ) -> Option<ShapedExpr<'g>> {
        let (rows, inner, columns, shape) = match (left.shape, right.shape) {
            (ExprShape::Matrix(rows, inner), ExprShape::Vector(length)) if inner == length => {
                (rows, inner, 1, ExprShape::Vector(rows))
            }
            (ExprShape::Matrix(rows, inner), ExprShape::Matrix(middle, columns)) if inner == middle => {
                (rows, inner, columns, ExprShape::Matrix(rows, columns))
            }
            (left, right) => {
                self.fail(at, Kind::NoProduct { left, right });
                return None;
            }
        };
        let mut elements = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let pairs: Vec<_> = (0..inner).map(|k| (left.at(row, k), right.at(k, column))).collect();
                elements.push(self.contracted(id, &pairs)?);
            }
        }
        Some(ShapedExpr { shape, elements })
    }

    /// `Σ a b` over pairs.
    fn contracted(&mut self, id: NodeId, pairs: &[(Expr<'g>, Expr<'g>)]) -> Option<Expr<'g>> {
        let mut terms = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            terms.push((self.multiplied(id, &[(*a, false), (*b, false)])?, false));
        }
        self.added(id, &terms)
    }

    /// `a b - c d`.
    fn minor(&mut self, id: NodeId, [a, b, c, d]: [Expr<'g>; 4]) -> Option<Expr<'g>> {
        let first = self.multiplied(id, &[(a, false), (b, false)])?;
        let second = self.multiplied(id, &[(c, false), (d, false)])?;
        self.added(id, &[(first, false), (second, true)])
    }

    fn added(&mut self, id: NodeId, summands: &[(Expr<'g>, bool)]) -> Option<Expr<'g>> {
        let built = self.bound.sum(self.graph, summands);
        self.accounted(id, built)
    }

    fn multiplied(&mut self, id: NodeId, factors: &[(Expr<'g>, bool)]) -> Option<Expr<'g>> {
        let built = self.bound.product(self.graph, factors);
        self.accounted(id, built)
    }

    fn accounted(&mut self, id: NodeId, built: Result<(Expr<'g>, usize), Overlong>) -> Option<Expr<'g>> {
        match built {
            Ok((value, handled)) => self.spend(handled).then_some(value),
            Err(Overlong) => {
                self.fail(id, Kind::NumberTooLong { limit: MAX_BITS });
                None
            }
        }
    }

    pub(super) fn array_function(
        &mut self,
        id: NodeId,
        function: ArrayFunction,
        operands: &[AstOperand],
    ) -> LoweredValue<'g> {
        let mut arguments: Vec<Rc<ShapedExpr<'g>>> = Vec::new();
        for operand in operands {
            match self.values[operand.node.index()].clone() {
                LoweredValue::Array(array) => arguments.push(array),
                LoweredValue::Number(value, _) => {
                    arguments.push(Rc::new(ShapedExpr { shape: ExprShape::Number, elements: vec![value] }));
                }
                LoweredValue::Condition(..) => return self.fail(operand.node, Kind::ExpectedNumber),
                LoweredValue::Invalid => return LoweredValue::Invalid,
            }
        }
        let shapes: Vec<ExprShape> = arguments.iter().map(|argument| argument.shape).collect();
        let elements: Vec<&[Expr<'g>]> = arguments.iter().map(|argument| argument.elements.as_slice()).collect();
        let built = match (function, shapes.as_slice(), elements.as_slice()) {
            (ArrayFunction::Dot, [ExprShape::Vector(m), ExprShape::Vector(n)], [a, b]) if m == n => {
                let pairs: Vec<_> = a.iter().copied().zip(b.iter().copied()).collect();
                self.contracted(id, &pairs).map(|value| LoweredValue::Number(value, None))
            }
            (ArrayFunction::Norm, [ExprShape::Vector(_)], [a]) => {
                let pairs: Vec<_> = a.iter().copied().zip(a.iter().copied()).collect();
                self.contracted(id, &pairs).map(|value| LoweredValue::Number(value.sqrt(), None))
            }
            (ArrayFunction::Cross, [ExprShape::Vector(3), ExprShape::Vector(3)], [a, b]) => {
                let component = |i: usize, j: usize| [a[i], b[j], a[j], b[i]];
                let rows = [component(1, 2), component(2, 0), component(0, 1)];
                let elements: Option<Vec<_>> = rows.into_iter().map(|row| self.minor(id, row)).collect();
                elements.map(|elements| LoweredValue::Array(Rc::new(ShapedExpr::vector(elements))))
            }
            (ArrayFunction::Cross, [ExprShape::Vector(2), ExprShape::Vector(2)], [a, b]) => {
                self.minor(id, [a[0], b[1], a[1], b[0]]).map(|value| LoweredValue::Number(value, None))
            }
            (ArrayFunction::Transpose, [ExprShape::Matrix(rows, columns)], _) => {
                let (rows, columns) = (*rows, *columns);
                let at = |place: usize| arguments[0].at(place % rows, place / rows);
                let elements = (0..rows * columns).map(at).collect();
                Some(self.array(ExprShape::Matrix(columns, rows), elements))
            }
            _ => {
                let found: Vec<String> = shapes.iter().map(ExprShape::to_string).collect();
                let (found, expected) = (found.join(" and "), function.takes());
                Some(self.fail(id, Kind::WrongShape { function: function.name(), expected, found }))
            }
        };
        built.unwrap_or(LoweredValue::Invalid)
    }

    /// `if` between arrays, element by element.
    pub(super) fn choose_array(
        &mut self,
        otherwise: NodeId,
        condition: Expr<'g>,
        first: &LoweredValue<'g>,
        second: &LoweredValue<'g>,
    ) -> LoweredValue<'g> {
        let (LoweredValue::Array(a), LoweredValue::Array(b)) = (first, second) else { return LoweredValue::Invalid };
        if a.shape != b.shape {
            return self.fail(otherwise, Kind::UnlikeBranches { left: a.shape, right: b.shape });
        }
        let pairs = a.elements.iter().zip(&b.elements);
        let elements = pairs.map(|(a, b)| self.graph.select(condition, *a, *b)).collect();
        self.array(a.shape, elements)
    }
}
