//! Calls of declared functions: their texts with the arguments in place of the names.

use super::super::ast::{AstKind, AstOperand, NodeId, Root};
use super::super::error::{ErrorCollector, SyntaxErrorKind as Kind};
use super::super::{ExprShape, MAX_CALL_DEPTH, resolve};
use super::{AstLowering, LoweredValue, LoweringText, lower};
use crate::Id;

/// A call: the function, and for each argument its shape, its elements, and its value if that is a known integer.
pub(super) type CallKey = (String, Vec<(ExprShape, Vec<Id>, Option<i64>)>);

impl<'g> AstLowering<'_, 'g> {
    /// A call writes the value of the function out, once for the same arguments.
    pub(super) fn declared_call(&mut self, id: NodeId, operands: &[AstOperand]) -> LoweredValue<'g> {
        let AstKind::Call { function, .. } = &self.ast.node(id).kind else { return LoweredValue::Invalid };
        let scope = self.context.scope;
        let Some(function) = scope.function(self.ast.slice(*function)) else { return LoweredValue::Invalid };
        let mut arguments = Vec::with_capacity(operands.len());
        for operand in operands {
            let value = self.values[operand.node.index()].clone();
            match &value {
                LoweredValue::Number(..) | LoweredValue::Array(_) => arguments.push(value),
                LoweredValue::Condition(..) => return self.fail(operand.node, Kind::ExpectedNumber),
                LoweredValue::Invalid => return LoweredValue::Invalid,
            }
        }
        let key = (function.name().to_owned(), arguments.iter().map(argument_key).collect());
        if let Some((value, structural)) = self.expansion.calls.get(&key) {
            let (value, structural) = (value.clone(), structural.clone());
            structural.iter().for_each(|place| self.note_structure(operands[*place].node));
            return value;
        }
        if self.depth >= MAX_CALL_DEPTH {
            return self.fail(id, Kind::DeepCalls { limit: MAX_CALL_DEPTH });
        }
        let body = function.body();
        let errors = &mut ErrorCollector::new(1);
        let resolved = resolve::resolve(body, scope, function.arguments(), errors);
        let (value, structural) = if errors.is_empty() {
            let text = LoweringText { ast: body, resolved: &resolved, arguments: &arguments, depth: self.depth + 1 };
            let (values, structural) = lower(self.context, text, errors, self.expansion);
            let value = match body.root() {
                Root::Expression(root) => values[root.index()].clone(),
                Root::Equation { .. } => LoweredValue::Invalid,
            };
            (value, structural)
        } else {
            (LoweredValue::Invalid, Default::default())
        };
        let found = std::mem::replace(errors, ErrorCollector::new(1)).finish(Some(()));
        if let Err(found) = found {
            for error in found {
                let kind = match error.kind {
                    // Where the innermost function is wrong says most.
                    inner @ (Kind::InFunction { .. } | Kind::DeepCalls { .. }) => inner,
                    _ => Kind::InFunction { function: function.name().to_owned(), error: Box::new(error) },
                };
                self.fail(id, kind);
            }
        }
        structural.iter().for_each(|place| self.note_structure(operands[*place].node));
        self.expansion.calls.insert(key, (value.clone(), structural));
        value
    }
}

fn argument_key(value: &LoweredValue<'_>) -> (ExprShape, Vec<Id>, Option<i64>) {
    match value {
        LoweredValue::Number(value, integer) => (ExprShape::Number, vec![value.id()], *integer),
        LoweredValue::Array(array) => (array.shape, array.elements.iter().map(|element| element.id()).collect(), None),
        LoweredValue::Condition(..) | LoweredValue::Invalid => (ExprShape::Number, Vec::new(), None),
    }
}
