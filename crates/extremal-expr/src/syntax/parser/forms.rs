//! Names and everything that starts with one (members of families, calls, `if` and `sum`), lists, and primes on them.

use super::{BindingLevel, Kind, Parser, TokenKind};
use crate::syntax::ast::{AstKind, AstOperand, NodeId};
use crate::syntax::{MAX_PRIMES, TextSpan};

/// The forms that look like calls and are not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpecialForm {
    If,
    Sum,
}

impl Parser<'_, '_> {
    /// A name with its index and primes, or a call.
    #[inline(never)]
    pub(super) fn name(&mut self) -> NodeId {
        let name = self.current.span;
        self.bump();
        let form = match &self.text[name.start..name.end] {
            "if" => Some(SpecialForm::If),
            "sum" => Some(SpecialForm::Sum),
            _ => None,
        };
        match (form, self.current.kind) {
            (Some(form), TokenKind::Open) => return self.special(form, name),
            (None, TokenKind::Open) => return self.call(name),
            (Some(_), _) => {
                let function = self.text[name.start..name.end].to_owned();
                self.report(Kind::BareFunction { name: function }, name);
                return self.invalid(name);
            }
            _ => {}
        }
        let mut index = (self.current.kind == TokenKind::OpenIndex).then(|| self.indices());
        let mut primes = 0;
        if let TokenKind::Primes(count) = self.current.kind {
            primes = count;
            self.bump();
            if self.current.kind == TokenKind::Open && index.is_none() && primes <= MAX_PRIMES {
                // The derivative of a function by its argument: `road'(x)`.
                return self.call(TextSpan::new(name.start, self.previous.span.end));
            }
            if self.current.kind == TokenKind::OpenIndex && index.is_none() {
                self.report(Kind::MisplacedIndex, self.current.span);
                index = Some(self.indices());
            }
        }
        let span = TextSpan::new(name.start, self.previous.span.end);
        if primes > MAX_PRIMES {
            self.report(Kind::TooManyPrimes { primes, limit: MAX_PRIMES }, span);
            return self.invalid(span);
        }
        match index {
            Some((index, column)) => self.push(AstKind::Member { name, index, column, primes }, span, Some(index)),
            None => self.push(AstKind::Name { name, primes }, span, None),
        }
    }

    /// `[i]` or `[i, j]`, from the bracket on.
    fn indices(&mut self) -> (NodeId, Option<NodeId>) {
        let open = self.current.span;
        self.bump();
        self.groups += 1;
        let index = self.nested(BindingLevel::Or);
        let column = self.accept(TokenKind::Comma).then(|| self.nested(BindingLevel::Or));
        self.close(open, TokenKind::CloseIndex);
        (index, column)
    }

    /// `[a, b, ...]`, from the bracket on.
    #[inline(never)]
    pub(super) fn list(&mut self) -> NodeId {
        let open = self.current.span;
        let items = self.operands_between(TokenKind::CloseIndex);
        let first = items.first().map(|item| item.node);
        let is_empty = items.is_empty();
        let items = self.store(items);
        let span = TextSpan::new(open.start, self.previous.span.end);
        if is_empty {
            self.report(Kind::EmptyList, span);
        }
        self.push(AstKind::List(items), span, first)
    }

    /// Primes on what stands before them, if that ends with a bracket.
    #[inline(never)]
    pub(super) fn primed(&mut self, of: NodeId, primes: u32) -> NodeId {
        let span = self.span(of).to(self.current.span);
        let kind = match self.previous.kind {
            TokenKind::Close | TokenKind::CloseIndex if primes > MAX_PRIMES => {
                Some(Kind::TooManyPrimes { primes, limit: MAX_PRIMES })
            }
            TokenKind::Close | TokenKind::CloseIndex => None,
            _ => Some(Kind::MisplacedPrime),
        };
        if let Some(kind) = kind {
            let at = if kind == Kind::MisplacedPrime { self.current.span } else { span };
            self.report(kind, at);
            self.bump();
            return of;
        }
        self.bump();
        self.push(AstKind::Derivative { of, primes }, span, Some(of))
    }

    /// What stands between brackets and commas, from the opening one on.
    fn operands_between(&mut self, close: TokenKind) -> Vec<AstOperand> {
        let open = self.current.span;
        self.bump();
        self.groups += 1;
        let mut operands = Vec::new();
        if self.current.kind != close {
            loop {
                let node = self.nested(BindingLevel::Or);
                operands.push(AstOperand { node, inverse: false });
                if !self.accept(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.close(open, close);
        operands
    }

    #[inline(never)]
    fn call(&mut self, function: TextSpan) -> NodeId {
        let arguments = self.operands_between(TokenKind::Close);
        let first = arguments.first().map(|a| a.node);
        let arguments = self.store(arguments);
        let span = TextSpan::new(function.start, self.previous.span.end);
        self.push(AstKind::Call { function, arguments }, span, first)
    }

    /// `if(...)` and `sum(...)`, from the parenthesis on: like a call, with markers between the arguments.
    #[inline(never)]
    fn special(&mut self, form: SpecialForm, name: TextSpan) -> NodeId {
        let open = self.current.span;
        self.bump();
        self.groups += 1;
        let first = NodeId(self.nodes.len() as u32);
        let mut index = None;
        let mut arguments: Vec<NodeId> = Vec::new();
        let mut markers: Vec<NodeId> = Vec::new();
        let mut found = 0;
        while found > 0 || self.current.kind != TokenKind::Close {
            let here = self.current.span;
            if form == SpecialForm::Sum && found == 0 {
                index = self.sum_index();
            } else {
                match (form, arguments.as_slice()) {
                    (SpecialForm::Sum, [low, high]) => {
                        let (low, high) = (*low, *high);
                        let index = index.unwrap_or(here);
                        markers.push(self.push(AstKind::Each { index, low, high, end: first }, here, None));
                    }
                    (SpecialForm::If, [condition]) => {
                        let condition = *condition;
                        markers.push(self.push(AstKind::Then { condition, otherwise: first }, here, None));
                    }
                    (SpecialForm::If, [condition, _]) => {
                        let condition = *condition;
                        markers.push(self.push(AstKind::Otherwise { condition, end: first }, here, None));
                    }
                    _ => {}
                }
                let argument = self.nested(BindingLevel::Or);
                arguments.push(argument);
            }
            found += 1;
            if !self.accept(TokenKind::Comma) {
                break;
            }
        }
        self.close(open, TokenKind::Close);
        let span = TextSpan::new(name.start, self.previous.span.end);
        let end = NodeId(self.nodes.len() as u32);
        match (form, arguments.as_slice(), markers.as_slice()) {
            (SpecialForm::Sum, [_, _, term], [each]) => {
                let (term, each) = (*term, *each);
                if let AstKind::Each { end: slot, .. } = &mut self.nodes[each.index()].kind {
                    *slot = end;
                }
                self.push(AstKind::Series { each, term }, span, Some(first))
            }
            (SpecialForm::If, [condition, then, otherwise], [first_marker, second_marker]) => {
                let kind = AstKind::If { condition: *condition, then: *then, otherwise: *otherwise };
                if let AstKind::Then { otherwise: slot, .. } = &mut self.nodes[first_marker.index()].kind {
                    *slot = *second_marker;
                }
                if let AstKind::Otherwise { end: slot, .. } = &mut self.nodes[second_marker.index()].kind {
                    *slot = end;
                }
                self.push(kind, span, Some(first))
            }
            _ => {
                let (function, expected) = match form {
                    SpecialForm::If => ("if", "3 arguments"),
                    SpecialForm::Sum => ("sum", "4 arguments"),
                };
                self.report(Kind::WrongArity { function: function.to_owned(), expected, found }, span);
                self.invalid(span)
            }
        }
    }

    /// The first argument of `sum`; anything but a lone name is reported and skipped.
    fn sum_index(&mut self) -> Option<TextSpan> {
        let span = self.current.span;
        if self.current.kind == TokenKind::Name {
            self.bump();
            if matches!(self.current.kind, TokenKind::Comma | TokenKind::Close | TokenKind::End) {
                return Some(span);
            }
        }
        self.report(Kind::BadSumIndex, span);
        while !matches!(self.current.kind, TokenKind::Comma | TokenKind::Close | TokenKind::End) {
            self.bump();
        }
        None
    }
}
