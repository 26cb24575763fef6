//! A model that outlives the task that reads it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extremal_model::Model;

/// A model that compiled runs and sweeps keep: they derive further equations from it when they need them. Copies share it, and one at a
/// time works with it.
#[derive(Clone)]
pub struct SharedModel(Arc<Mutex<Model>>);

impl SharedModel {
    /// The model, for as long as the guard lives. Nothing else that needs the model may be called meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, Model> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<Model> for SharedModel {
    fn from(model: Model) -> SharedModel {
        SharedModel(Arc::new(Mutex::new(model)))
    }
}

/// A copy.
impl From<&Model> for SharedModel {
    fn from(model: &Model) -> SharedModel {
        model.clone().into()
    }
}

impl From<&SharedModel> for SharedModel {
    fn from(model: &SharedModel) -> SharedModel {
        model.clone()
    }
}
