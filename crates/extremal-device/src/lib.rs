//! Devices that run kernels, by their driver alone: no toolkit, nothing to be linked.
//!
//! A [`Device`] has memory, in which addresses are numbers, and runs kernels of modules of PTX, one after the other: what was asked for
//! first is done first. [`devices`] opens those of this machine. Others can stand for one: tests have a device that is an interpreter.
//!
//! ```
//! match extremal_device::devices() {
//!     Ok(found) => found.iter().for_each(|device| println!("{}", device.name())),
//!     Err(why) => println!("no device: {why}"),
//! }
//! ```

#[cfg(feature = "cuda")]
mod cuda;
mod failure;

use std::ops::{Deref, DerefMut};

pub use failure::DeviceError;

/// A module that was loaded, on its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedModule(pub usize);

/// A kernel of such a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadedKernel(pub usize);

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchArgument<'a> {
    /// An address, or a count of 64 bits.
    Long(u64),
    /// A count of 32 bits.
    Short(u32),
    /// Numbers by value, one after the other.
    Numbers(&'a [f64]),
}

/// Numbers in memory that devices can write to by themselves, where there is such.
pub struct HostNumbers(Box<dyn HostMemory>);

/// Memory for [`HostNumbers`].
pub trait HostMemory: DerefMut<Target = [f64]> + Send + Sync {}

impl<M: DerefMut<Target = [f64]> + Send + Sync> HostMemory for M {}

impl HostNumbers {
    /// In this memory.
    pub fn new(memory: impl HostMemory + 'static) -> HostNumbers {
        HostNumbers(Box::new(memory))
    }
}

impl Deref for HostNumbers {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.0
    }
}

impl DerefMut for HostNumbers {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.0
    }
}

/// What runs kernels. Every call but those that read may return before its work is done; an error may be that of an earlier call.
pub trait Device: Send {
    /// What it is called.
    fn name(&self) -> &str;

    /// How many bytes can be allocated.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn free_memory(&mut self) -> Result<u64, DeviceError>;

    /// Compiles a module of PTX. One of the same text is compiled once.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn load(&mut self, text: &str) -> Result<LoadedModule, DeviceError>;

    /// A kernel by its name.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn kernel(&mut self, module: LoadedModule, name: &str) -> Result<LoadedKernel, DeviceError>;

    /// Memory for so many bytes; what is in it is not known.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError>;

    /// Gives memory back.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn release(&mut self, address: u64) -> Result<(), DeviceError>;

    /// Fills memory with so many copies of a number of 32 bits.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn fill(&mut self, address: u64, value: u32, count: usize) -> Result<(), DeviceError>;

    /// Writes numbers.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn write(&mut self, address: u64, numbers: &[f64]) -> Result<(), DeviceError>;

    /// The same device once more: what is asked of one does not wait for the other.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn another(&mut self) -> Result<Box<dyn Device>, DeviceError>;

    /// Memory to read so many numbers to.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn host_numbers(&mut self, count: usize) -> Result<HostNumbers, DeviceError>;

    /// Reads numbers, after all that was asked for before. This is fastest into [`host_numbers`](Device::host_numbers).
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn read(&mut self, address: u64, numbers: &mut [f64]) -> Result<(), DeviceError>;

    /// Runs a kernel in so many threads, or some more, `block` of them together.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn launch(
        &mut self,
        kernel: LoadedKernel,
        threads: u32,
        block: u32,
        arguments: &[LaunchArgument<'_>],
    ) -> Result<(), DeviceError>;

    /// Waits until all is done.
    ///
    /// # Errors
    /// See [`DeviceError`].
    fn finish(&mut self) -> Result<(), DeviceError>;
}

/// Opens all devices of this machine, at least one.
///
/// # Errors
/// There is no driver, or no device, or one of them cannot be used.
pub fn devices() -> Result<Vec<Box<dyn Device>>, DeviceError> {
    #[cfg(feature = "cuda")]
    return cuda::devices();
    #[cfg(not(feature = "cuda"))]
    Err(DeviceError::NotBuilt)
}
