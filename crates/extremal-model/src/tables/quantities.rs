//! Expressions that are asked for from outside the file, in the words of the model.

use extremal_expr::Id;

use crate::document::Scalar;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

pub(super) fn resolve(resolver: &mut Resolver<'_, '_>, asked: &[SourceText]) -> Vec<Id> {
    let expression = |text: &SourceText| {
        let scalar = Scalar::Text(text.clone());
        resolver.number(&scalar, &ExpressionPlace::QUANTITY, None).map(|value| value.id())
    };
    asked.iter().filter_map(expression).collect()
}
