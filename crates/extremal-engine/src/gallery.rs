//! The built-in models.

/// Name and text of every built-in model, by name.
static MODELS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/gallery.rs"));

/// The names of the built-in models, in alphabetical order.
///
/// ```
/// assert!(extremal_engine::gallery::names().any(|name| name == "double-pendulum"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    MODELS.iter().map(|(name, _)| *name)
}

/// The text of a built-in model.
///
/// ```
/// let text = extremal_engine::gallery::text("kepler").unwrap();
/// let model = extremal_engine::Model::from_toml(text)?;
/// assert_eq!(model.name(), Some("Kepler problem"));
/// # Ok::<(), extremal_engine::InvalidModel>(())
/// ```
pub fn text(name: &str) -> Option<&'static str> {
    MODELS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
