//! Tokens to [`Ast`]: operator precedence, depth-bounded, going on after an error.

mod forms;

use super::ast::{Ast, AstKind, AstNode, AstOperand, NodeId, OperandRange, Root};
use super::error::{ErrorCollector, SyntaxErrorKind as Kind};
use super::lexer::{Lexer, Token, TokenKind};
use super::{Limits, TextSpan};
use crate::Relation;

/// How tightly an operator binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BindingLevel {
    Or,
    And,
    Not,
    Relation,
    Additive,
    Multiplicative,
    Unary,
    Power,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    Expression,
    Equation,
}

/// The two operators that take any number of operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChainOperator {
    Sum,
    Product,
}

/// Parses `text`. The tree is `None` when the text was refused outright; otherwise it may still hold
/// [`AstKind::Invalid`] nodes for what was reported to `errors`.
pub(super) fn parse(text: &str, goal: Goal, limits: &Limits, errors: &mut ErrorCollector) -> Option<Ast> {
    if text.len() > limits.text_bytes {
        let kind = Kind::TextTooLong { bytes: text.len(), limit: limits.text_bytes };
        errors.report(kind, TextSpan::new(0, 0));
        return None;
    }
    if text.trim().is_empty() {
        errors.report(Kind::Empty, TextSpan::new(0, text.len()));
        return None;
    }
    let mut lexer = Lexer::new(text, limits.number_digits);
    let current = lexer.next(errors);
    let mut parser = Parser {
        text,
        lexer,
        current,
        previous: Token { kind: TokenKind::End, span: TextSpan::new(0, 0) },
        nodes: Vec::new(),
        operands: Vec::new(),
        depth: 0,
        groups: 0,
        equation: goal == Goal::Equation,
        awaits_equals: goal == Goal::Equation,
        stopped: false,
        limits,
        errors,
    };
    let root = parser.root();
    let stopped = parser.stopped;
    let Parser { nodes, operands, .. } = parser;
    (!stopped).then(|| Ast { text: text.into(), nodes, operands, root })
}

struct Parser<'t, 'e> {
    text: &'t str,
    lexer: Lexer<'t>,
    current: Token,
    previous: Token,
    nodes: Vec<AstNode>,
    operands: Vec<AstOperand>,
    depth: usize,
    /// Parentheses and brackets open.
    groups: usize,
    /// Was an equation asked for?
    equation: bool,
    /// Is its `=` still to come?
    awaits_equals: bool,
    /// A limit was hit: the rest of the text is not looked at.
    stopped: bool,
    limits: &'e Limits,
    errors: &'e mut ErrorCollector,
}

impl Parser<'_, '_> {
    fn root(&mut self) -> Root {
        let left = self.expression(BindingLevel::Or);
        if !self.awaits_equals {
            self.finish();
            return Root::Expression(left);
        }
        if self.current.kind != TokenKind::Equals {
            if self.current.kind == TokenKind::End {
                self.report(Kind::MissingEquals, TextSpan::new(0, self.text.len()));
            }
            self.finish();
            return Root::Expression(left);
        }
        self.awaits_equals = false;
        self.bump();
        let right = self.expression(BindingLevel::Or);
        self.finish();
        Root::Equation { left, right }
    }

    /// Reports what is left over, and looks for more errors in it.
    fn finish(&mut self) {
        self.awaits_equals = false;
        while self.current.kind != TokenKind::End {
            self.unexpected("an operator or the end");
            while self.current.kind != TokenKind::End && !self.starts_operand() {
                self.bump();
            }
            if self.current.kind != TokenKind::End {
                self.expression(BindingLevel::Or);
            }
        }
    }

    /// An expression one level of nesting further in: inside parentheses, after a sign, as an exponent.
    fn nested(&mut self, min: BindingLevel) -> NodeId {
        if self.depth >= self.limits.nesting {
            self.report(Kind::TooDeep { limit: self.limits.nesting }, self.current.span);
            self.stop();
            return self.invalid(self.current.span);
        }
        self.depth += 1;
        let node = self.expression(min);
        self.depth -= 1;
        node
    }

    /// An expression of operators that bind at least like `min`. It calls itself only for tighter ones, so the recursion is
    /// bounded by the levels of nesting times the levels of precedence. What it calls is not inlined, so that its own frame, of which
    /// there are that many, stays small however the crate is compiled.
    fn expression(&mut self, min: BindingLevel) -> NodeId {
        let mut left = self.prefix(min);
        loop {
            left = match self.current.kind {
                TokenKind::Caret if min <= BindingLevel::Power => {
                    self.bump();
                    let exponent = self.nested(BindingLevel::Power);
                    self.push_over(left, exponent, AstKind::Power { base: left, exponent })
                }
                TokenKind::Star | TokenKind::Slash if min <= BindingLevel::Multiplicative => {
                    self.chain(ChainOperator::Product, left)
                }
                TokenKind::Plus | TokenKind::Minus if min <= BindingLevel::Additive => {
                    self.chain(ChainOperator::Sum, left)
                }
                TokenKind::And if min <= BindingLevel::And => {
                    self.bump();
                    let right = self.expression(BindingLevel::Not);
                    self.push_over(left, right, AstKind::And(left, right))
                }
                TokenKind::Or if min <= BindingLevel::Or => {
                    self.bump();
                    let right = self.expression(BindingLevel::And);
                    self.push_over(left, right, AstKind::Or(left, right))
                }
                TokenKind::Equals if self.awaits_equals && self.groups == 0 => break,
                kind if min <= BindingLevel::Relation && is_comparison(kind) => self.comparison(left),
                TokenKind::Number | TokenKind::Name | TokenKind::Open if min <= BindingLevel::Multiplicative => {
                    self.chain(ChainOperator::Product, left)
                }
                TokenKind::Primes(primes) => self.primed(left, primes),
                TokenKind::OpenIndex => {
                    self.report(Kind::MisplacedIndex, self.current.span);
                    self.group(TokenKind::CloseIndex);
                    left
                }
                TokenKind::Invalid => {
                    self.bump();
                    left
                }
                _ => break,
            };
        }
        left
    }

    fn prefix(&mut self, min: BindingLevel) -> NodeId {
        let skipped = self.current.kind == TokenKind::Invalid;
        while self.current.kind == TokenKind::Invalid {
            self.bump();
        }
        let token = self.current;
        match token.kind {
            TokenKind::Number => {
                self.bump();
                self.push(AstKind::Number, token.span, None)
            }
            TokenKind::Name => self.name(),
            TokenKind::Open => self.group(TokenKind::Close),
            TokenKind::Plus | TokenKind::Minus => {
                self.bump();
                // A leading sign belongs to the whole term, which keeps products together: -2*x*y is -(2*x*y).
                let operand =
                    self.nested(if min <= BindingLevel::Multiplicative { BindingLevel::Multiplicative } else { min });
                if token.kind == TokenKind::Plus {
                    return operand;
                }
                let operands = self.store([AstOperand { node: operand, inverse: true }]);
                self.push(AstKind::Sum(operands), token.span.to(self.span(operand)), Some(operand))
            }
            TokenKind::Not => {
                self.bump();
                let operand = self.nested(BindingLevel::Not);
                self.push(AstKind::Not(operand), token.span.to(self.span(operand)), Some(operand))
            }
            TokenKind::OpenIndex => self.list(),
            _ => {
                if !skipped {
                    self.unexpected("a number, a name or `(`");
                }
                if matches!(token.kind, TokenKind::Primes(_)) {
                    self.current.kind = TokenKind::Invalid;
                    self.bump();
                }
                self.invalid(token.span)
            }
        }
    }

    /// `( ... )` or `[ ... ]`, from the opening token on; the value is what stands inside.
    fn group(&mut self, close: TokenKind) -> NodeId {
        let open = self.current.span;
        self.bump();
        self.groups += 1;
        let inner = self.nested(BindingLevel::Or);
        self.close(open, close);
        inner
    }

    fn close(&mut self, open: TextSpan, close: TokenKind) {
        self.groups -= 1;
        if self.current.kind == close {
            self.bump();
        } else if self.current.kind == TokenKind::End {
            let open_char = if close == TokenKind::Close { '(' } else { '[' };
            self.report(Kind::Unclosed { open: open_char }, open);
        } else {
            self.unexpected(if close == TokenKind::Close { "an operator or `)`" } else { "an operator or `]`" });
            self.skip_to(close);
        }
    }

    /// Skips to the matching closing token and over it, so that what follows the group is still read.
    fn skip_to(&mut self, close: TokenKind) {
        let mut depth = 0usize;
        loop {
            match self.current.kind {
                TokenKind::End => return,
                TokenKind::Open | TokenKind::OpenIndex => depth += 1,
                kind if depth == 0 && kind == close => {
                    self.bump();
                    return;
                }
                TokenKind::Close | TokenKind::CloseIndex => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
    }

    /// `left + b - c ...` or `left * b / c ...`, from the first operator on.
    #[inline(never)]
    fn chain(&mut self, chain: ChainOperator, left: NodeId) -> NodeId {
        let start = self.span(left).start;
        let first = self.nodes[left.index()].first;
        let mut operands = Vec::new();
        self.append(chain, left, false, &mut operands);
        loop {
            let inverse = match (chain, self.current.kind) {
                (ChainOperator::Sum, TokenKind::Plus) | (ChainOperator::Product, TokenKind::Star) => false,
                (ChainOperator::Sum, TokenKind::Minus) | (ChainOperator::Product, TokenKind::Slash) => true,
                (ChainOperator::Product, TokenKind::Number | TokenKind::Name | TokenKind::Open) => {
                    self.missing_operator();
                    let operand = self.expression(BindingLevel::Unary);
                    self.append(chain, operand, false, &mut operands);
                    continue;
                }
                _ => break,
            };
            self.bump();
            let operand = self.expression(match chain {
                ChainOperator::Sum => BindingLevel::Multiplicative,
                ChainOperator::Product => BindingLevel::Unary,
            });
            self.append(chain, operand, inverse, &mut operands);
        }
        let operands = self.store(operands);
        let span = TextSpan::new(start, self.previous.span.end);
        let kind = match chain {
            ChainOperator::Sum => AstKind::Sum(operands),
            ChainOperator::Product => AstKind::Product(operands),
        };
        self.push_at(kind, span, first)
    }

    /// Appends an operand. One of the same kind in parentheses is dissolved: a/(b*c) is a/b/c, one flat list, however it
    /// was grouped.
    #[inline(never)]
    fn append(&mut self, chain: ChainOperator, node: NodeId, inverse: bool, into: &mut Vec<AstOperand>) {
        match (chain, &self.nodes[node.index()].kind) {
            (ChainOperator::Sum, AstKind::Sum(range)) | (ChainOperator::Product, AstKind::Product(range)) => {
                self.dissolve(node, range.clone(), inverse, into);
            }
            _ => into.push(AstOperand { node, inverse }),
        }
    }

    fn dissolve(&mut self, node: NodeId, range: OperandRange, inverse: bool, into: &mut Vec<AstOperand>) {
        // After an error something may have been stored behind it; then it stays as it is.
        if node.index() + 1 != self.nodes.len() || range.end as usize != self.operands.len() {
            into.push(AstOperand { node, inverse });
            return;
        }
        self.nodes.pop();
        let inner = self.operands.drain(range.start as usize..);
        into.extend(inner.map(|o| AstOperand { node: o.node, inverse: o.inverse != inverse }));
    }

    #[inline(never)]
    fn comparison(&mut self, left: NodeId) -> NodeId {
        let operator = self.current;
        if operator.kind == TokenKind::Equals {
            self.report(Kind::StrayEquals { in_equation: self.equation }, operator.span);
        }
        self.bump();
        let right = self.expression(BindingLevel::Additive);
        let (comparison, swap) = match operator.kind {
            TokenKind::Less => (Relation::Lt, false),
            TokenKind::LessEqual => (Relation::Le, false),
            TokenKind::Greater => (Relation::Lt, true),
            TokenKind::GreaterEqual => (Relation::Le, true),
            TokenKind::NotEqual => (Relation::Ne, false),
            _ => (Relation::Eq, false),
        };
        let (a, b) = if swap { (right, left) } else { (left, right) };
        let node = self.push_over(left, right, AstKind::Compare { comparison, left: a, right: b });
        if is_comparison(self.current.kind) && self.current.kind != TokenKind::Equals {
            let span = operator.span.to(self.current.span);
            self.report(Kind::ChainedComparison, span);
            self.bump();
            let last = self.expression(BindingLevel::Additive);
            let span = self.span(node).to(self.span(last));
            return self.push(AstKind::Invalid, span, Some(node));
        }
        node
    }

    #[inline(never)]
    fn missing_operator(&mut self) {
        let gap = self.previous.span.to(self.current.span);
        let suggestion = (gap.len() <= 24).then(|| {
            let [left, right] = [self.previous.span, self.current.span].map(|s| &self.text[s.start..s.end]);
            let right = if right == "(" { "(...)" } else { right };
            let left = if left == ")" { "(...)" } else { left };
            format!("{left}*{right}")
        });
        self.report(Kind::MissingOperator { suggestion }, gap);
    }

    fn starts_operand(&self) -> bool {
        matches!(self.current.kind, TokenKind::Number | TokenKind::Name | TokenKind::Open | TokenKind::Not)
    }

    #[inline(never)]
    fn unexpected(&mut self, expected: &'static str) {
        let span = self.current.span;
        let found = match self.current.kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[span.start..span.end]),
        };
        self.report(Kind::Unexpected { expected, found }, span);
    }

    #[inline(never)]
    fn report(&mut self, kind: Kind, span: TextSpan) {
        // What stands next to characters already reported is not news.
        if !self.stopped && self.previous.kind != TokenKind::Invalid {
            self.errors.report(kind, span);
        }
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.current.kind == kind;
        if found {
            self.bump();
        }
        found
    }

    #[inline(never)]
    fn bump(&mut self) {
        if self.current.kind == TokenKind::End {
            return;
        }
        self.previous = self.current;
        self.current = self.lexer.next(self.errors);
        if self.errors.is_full() {
            self.stop();
        }
    }

    /// Ends the parse: from here on the text looks finished.
    fn stop(&mut self) {
        self.stopped = true;
        self.current = Token { kind: TokenKind::End, span: self.current.span };
    }

    fn span(&self, node: NodeId) -> TextSpan {
        self.nodes[node.index()].span
    }

    fn store(&mut self, operands: impl IntoIterator<Item = AstOperand>) -> OperandRange {
        let start = self.operands.len() as u32;
        self.operands.extend(operands);
        start..self.operands.len() as u32
    }

    fn invalid(&mut self, span: TextSpan) -> NodeId {
        self.push(AstKind::Invalid, span, None)
    }

    fn push_over(&mut self, left: NodeId, right: NodeId, kind: AstKind) -> NodeId {
        let span = self.span(left).to(self.span(right));
        self.push(kind, span, Some(left))
    }

    /// Adds a node whose subtree begins where that of `first_operand` does, or with itself.
    fn push(&mut self, kind: AstKind, span: TextSpan, first_operand: Option<NodeId>) -> NodeId {
        let own = NodeId(self.nodes.len() as u32);
        let first = first_operand.map_or(own, |id| self.nodes[id.index()].first);
        self.push_at(kind, span, first)
    }

    fn push_at(&mut self, kind: AstKind, span: TextSpan, first: NodeId) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        if self.nodes.len() >= self.limits.nodes {
            self.report(Kind::TooManyNodes { limit: self.limits.nodes }, span);
            self.stop();
        }
        self.nodes.push(AstNode { kind, span, first });
        id
    }
}

fn is_comparison(kind: TokenKind) -> bool {
    use TokenKind::{EqualEqual, Equals, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(kind, EqualEqual | Equals | Greater | GreaterEqual | Less | LessEqual | NotEqual)
}
