//! The vector instructions that loops are compiled for.

#[cfg(feature = "native")]
pub(crate) use pulp::Arch;

/// Those that every machine of the target has.
#[cfg(not(feature = "native"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arch;

#[cfg(not(feature = "native"))]
impl Arch {
    pub fn new() -> Arch {
        Arch
    }

    pub fn dispatch<T>(self, run: impl FnOnce() -> T) -> T {
        run()
    }
}

/// Runs `work`, which must be an `#[inline(always)]` closure, compiled for the widest registers the machine has. Nothing is fused that is
/// not written so: the bits are the same everywhere.
#[inline(always)]
pub fn on_widest_registers<T>(work: impl FnOnce() -> T) -> T {
    Arch::new().dispatch(work)
}
