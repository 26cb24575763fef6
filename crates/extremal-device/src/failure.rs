//! Why a device cannot do what it is asked for.

use thiserror::Error;

/// Why a device cannot do what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum DeviceError {
    #[error("this program was built without devices")]
    NotBuilt,
    #[error("there is no driver of a GPU here: {reason}")]
    NoDriver { reason: String },
    #[error("the driver of the GPU is too old: it does not have `{function}`")]
    OldDriver { function: &'static str },
    #[error("the driver finds no GPU: {reason}")]
    NoDevice { reason: String },
    #[error("the memory of {device} does not suffice: {bytes} more bytes were asked for")]
    OutOfMemory { device: String, bytes: u64 },
    #[error("{device} does not take the kernels: {reason}")]
    Refused { device: String, reason: String },
    #[error("{device} was lost: {reason} ({call})")]
    Lost { device: String, call: &'static str, reason: String },
}
