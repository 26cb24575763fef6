//! What the parts of a system hold, entropies and amounts of matter: symbols with a start, alone or in families, found again by their names.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::assignments::{self, Primes, Targets};
use super::families::{Families, QuantityKind, family_count, family_index, initial, member_name};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// All quantities of a kind, flat and by statement.
pub(crate) struct HeldQuantities<T> {
    pub list: Vec<T>,
    pub families: Families,
    kind: QuantityKind,
    /// Where a text names one.
    place: &'static ExpressionPlace,
    places: HashMap<Id, usize>,
}

/// What is stated of one, or of a family.
pub(super) struct HeldStatement<'s> {
    pub name: &'s Name,
    pub start: Option<&'s ScalarSeries>,
    pub count: Option<&'s Scalar>,
    pub index: Option<&'s SourceText>,
}

/// One of them.
pub(super) struct HeldMember {
    pub name: String,
    pub symbol: Id,
    pub start: Id,
}

impl<T> HeldQuantities<T> {
    pub(super) fn new(kind: QuantityKind, place: &'static ExpressionPlace) -> HeldQuantities<T> {
        HeldQuantities { list: Vec::new(), families: Families::new(kind), kind, place, places: HashMap::new() }
    }

    /// Declares what the statement at `position` says. `part` is what else there is to know of a member, `whole` puts both together; where
    /// something is missing the name is declared as broken.
    pub(super) fn declare<P>(
        &mut self,
        resolver: &mut Resolver<'_, '_>,
        (position, statement): (usize, &HeldStatement<'_>),
        part: impl FnMut(&mut Resolver<'_, '_>, MemberNumber<'_>) -> Option<P>,
        whole: impl Fn(HeldMember, P) -> T,
    ) {
        let name = statement.name;
        if resolver.admit(name, self.kind.word()) && self.members(resolver, position, statement, part, whole).is_none()
        {
            let (what, span) = (self.kind.word(), name.span.clone());
            let broken = Declaration { what, meaning: NameMeaning::Broken, count: None, span };
            resolver.names.declare(&name.text, broken);
        }
    }

    fn members<P>(
        &mut self,
        resolver: &mut Resolver<'_, '_>,
        position: usize,
        HeldStatement { name, start, count, index }: &HeldStatement<'_>,
        mut part: impl FnMut(&mut Resolver<'_, '_>, MemberNumber<'_>) -> Option<P>,
        whole: impl Fn(HeldMember, P) -> T,
    ) -> Option<()> {
        let count = family_count(resolver, name, *count, start.iter().copied())?;
        let members = count.map_or(1, |count| count as usize);
        if !self.families.has_room(resolver, members, name) {
            return None;
        }
        let names: Vec<String> = (1..=members).map(|number| member_name(&name.text, count, number)).collect();
        let symbols: Vec<Expr<'_>> = names.iter().map(|name| resolver.graph.symbol(name)).collect();
        let index = family_index(resolver, *index, name, count);
        let numbered = |number: usize| count.map(|_| (index.as_str(), number as i64));
        let parts: Option<Vec<P>> = (1..=members).map(|number| part(resolver, numbered(number))).collect();
        let parts = parts?;
        let meaning = NameMeaning::Entropy { symbols: symbols.clone() };
        let declared = Declaration { what: self.kind.word(), meaning, count, span: name.span.clone() };
        resolver.names.declare(&name.text, declared);
        let start = initial(resolver, *start, &index, name, count, "start", &ExpressionPlace::INITIAL);
        let zero = resolver.graph.int(0).id();
        for (at, ((name, symbol), part)) in names.into_iter().zip(&symbols).zip(parts).enumerate() {
            self.places.insert(symbol.id(), self.list.len());
            let start = start.as_ref().map_or(zero, |values| values[at]);
            self.list.push(whole(HeldMember { name, symbol: symbol.id(), start }, part));
        }
        self.families.push(name, position, count, index);
        Some(())
    }

    /// The one that a text names: `S`, `S[2]`, or `S[i + 1]` where `i` is the member's number.
    pub fn named(&self, resolver: &mut Resolver<'_, '_>, text: &SourceText, member: MemberNumber<'_>) -> Option<usize> {
        assignments::take_apart(resolver, text, Targets(&[&self.families]), Primes::Refused)?;
        let value = resolver.number(&Scalar::Text(text.clone()), self.place, member)?;
        self.places.get(&value.id()).copied()
    }

    /// The names of all families between quotes, for a message.
    pub fn listed(&self) -> String {
        let quoted: Vec<String> = self.families.list.iter().map(|family| format!("`{}`", family.name.text)).collect();
        quoted.join(", ")
    }
}
