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
