//! The vector instructions that loops are compiled for.

/// The widest registers that the machine has, or those that every machine of the target has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arch {
    #[cfg(feature = "native")]
    widest: pulp::Arch,
}

impl Arch {
    /// Those of this machine.
    pub fn new() -> Arch {
        Arch::default()
    }

    /// Runs `work`, which must be an `#[inline(always)]` closure, compiled for these registers. Nothing is fused that is not written so: the
    /// bits are the same everywhere.
    #[inline(always)]
    pub fn dispatch<T>(self, work: impl FnMut() -> T) -> T {
        // Called as what can be called again: else there would be a function around it, which is compiled for all machines if it is long.
        #[inline(always)]
        fn now<T>(mut work: impl FnMut() -> T) -> T {
            work()
        }
        #[cfg(feature = "native")]
        {
            self.widest.dispatch(
                #[inline(always)]
                move || now(work),
            )
        }
        #[cfg(not(feature = "native"))]
        {
            now(work)
        }
    }
}

/// The same on the widest registers that the machine has.
#[inline(always)]
pub fn on_widest_registers<T>(work: impl FnMut() -> T) -> T {
    Arch::new().dispatch(work)
}
