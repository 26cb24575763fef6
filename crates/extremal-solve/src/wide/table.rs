//! Kernels that work on a table of members, and the table on a device.

use std::ops::Range;

use extremal_device::{Device, DeviceError, HostNumbers, LaunchArgument, LoadedKernel};
use extremal_eval::ptx::{self, DrawnColumn, KernelRefusal, MemberInput, MemberLayout, ThreadKernel};
use extremal_eval::{Program, TRIES};

/// Threads that are started together.
const BLOCK: u32 = 128;
/// More steps are taken in several launches.
const MOST_ROUNDS: u64 = 1 << 28;

/// Kernels in the making, and how many columns their table has.
#[derive(Default)]
pub struct TableKernels {
    kernels: Vec<ThreadKernel>,
    columns: usize,
}

/// One of these kernels, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableKernel(usize);

impl TableKernels {
    /// So many new columns.
    pub fn columns(&mut self, count: usize) -> Range<usize> {
        self.columns += count;
        self.columns - count..self.columns
    }

    /// One new column.
    pub fn column(&mut self) -> usize {
        self.columns(1).start
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.columns
    }

    /// A kernel that computes an entry of a program for every member.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn entry(
        &mut self,
        program: &Program,
        entry: usize,
        inputs: Vec<Vec<MemberInput>>,
        outputs: Vec<Option<usize>>,
    ) -> Result<TableKernel, KernelRefusal> {
        let kernel = program.kernel(&self.next_name(), entry, &MemberLayout { inputs, outputs })?;
        Ok(self.push(kernel))
    }

    /// A kernel that repeats a loop for every member.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn looping(&mut self, program: &Program, inputs: Vec<Vec<MemberInput>>) -> Result<TableKernel, KernelRefusal> {
        let kernel = program.loop_kernel(&self.next_name(), &MemberLayout { inputs, outputs: Vec::new() })?;
        Ok(self.push(kernel))
    }

    /// A kernel that draws columns, by the numbers that [`DrawnColumn`] says.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn drawing(&mut self, columns: &[DrawnColumn]) -> Result<TableKernel, KernelRefusal> {
        let kernel = ptx::drawing(&self.next_name(), columns)?;
        Ok(self.push(kernel))
    }

    /// All of them as one module.
    pub fn text(&self) -> String {
        ptx::module(&self.kernels.iter().collect::<Vec<_>>())
    }

    fn next_name(&self) -> String {
        format!("kernel{}", self.kernels.len())
    }

    fn push(&mut self, kernel: ThreadKernel) -> TableKernel {
        self.kernels.push(kernel);
        TableKernel(self.kernels.len() - 1)
    }
}

/// A table of members in the memory of a device, with the kernels that work on it. Every member has two counters: the steps that are left
/// to it, and the tries of the present one.
pub struct MemberTable<'d> {
    device: &'d mut dyn Device,
    kernels: &'d [ThreadKernel],
    loaded: Vec<LoadedKernel>,
    address: u64,
    counters: u64,
    members: usize,
    /// A column goes through it on its way to other memory: it takes the driver long to make much of its kind.
    column: HostNumbers,
}

impl<'d> MemberTable<'d> {
    /// Loads the kernels and sets memory aside for so many members.
    ///
    /// # Errors
    /// The device takes none of it.
    pub fn new(
        device: &'d mut dyn Device,
        kernels: &'d TableKernels,
        members: usize,
    ) -> Result<MemberTable<'d>, DeviceError> {
        let module = device.load(&kernels.text())?;
        let names = kernels.kernels.iter().map(|kernel| kernel.name().to_owned());
        let loaded = names.map(|name| device.kernel(module, &name)).collect::<Result<_, _>>()?;
        let column = device.host_numbers(members)?;
        let counters = device.allocate((2 * members.next_multiple_of(2) * size_of::<u32>()) as u64)?;
        let address = match device.allocate(MemberTable::bytes(kernels, members)) {
            Ok(address) => address,
            Err(error) => {
                device.release(counters)?;
                return Err(error);
            }
        };
        Ok(MemberTable { device, kernels: &kernels.kernels, loaded, address, counters, members, column })
    }

    /// How much memory the columns of so many members need.
    pub fn bytes(kernels: &TableKernels, members: usize) -> u64 {
        (kernels.columns * members * size_of::<f64>()) as u64
    }

    /// For how many members there is room.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Runs a kernel for the first `count` members; `uniforms` has, for each tier, the inputs that are the same for all members in their
    /// places.
    ///
    /// # Errors
    /// The device fails.
    pub fn run(&mut self, kernel: TableKernel, count: usize, uniforms: &[&[f64]]) -> Result<(), DeviceError> {
        self.launch(kernel, count, uniforms, 0, 0)
    }

    /// Takes up to so many steps with each of the first `count` members by a looping kernel.
    ///
    /// # Errors
    /// The device fails.
    pub fn repeat(
        &mut self,
        kernel: TableKernel,
        count: usize,
        uniforms: &[&[f64]],
        steps: u64,
    ) -> Result<(), DeviceError> {
        let mut left = steps;
        while left > 0 {
            let now = left.min(MOST_ROUNDS);
            self.device.fill(self.counters, now as u32, count)?;
            self.launch(kernel, count, uniforms, now as u32 * TRIES, self.counters)?;
            left -= now;
        }
        Ok(())
    }

    fn launch(
        &mut self,
        TableKernel(at): TableKernel,
        count: usize,
        uniforms: &[&[f64]],
        rounds: u32,
        counters: u64,
    ) -> Result<(), DeviceError> {
        let values = self.kernels[at].uniforms(|tier, input| uniforms[tier][input]);
        let mut arguments = vec![
            LaunchArgument::Long(self.address),
            LaunchArgument::Long(self.members as u64),
            LaunchArgument::Long(0),
            LaunchArgument::Short(count as u32),
            LaunchArgument::Short(rounds),
            LaunchArgument::Long(counters),
        ];
        if !values.is_empty() {
            arguments.push(LaunchArgument::Numbers(&values));
        }
        self.device.launch(self.loaded[at], count as u32, BLOCK, &arguments)
    }

    /// Lets the first `count` members begin: none has tried anything.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin(&mut self, count: usize) -> Result<(), DeviceError> {
        self.device.fill(self.counters + (self.members * size_of::<u32>()) as u64, 0, count)
    }

    /// Which members have no more tries: their steps did not work out.
    ///
    /// # Errors
    /// The device fails.
    pub fn stuck(&mut self, count: usize) -> Result<Vec<bool>, DeviceError> {
        // A number for every two of them.
        let told = &mut self.column[..count.div_ceil(2)];
        self.device.read(self.counters + (self.members * size_of::<u32>()) as u64, told)?;
        let halves = told.iter().flat_map(|number| [number.to_bits() as u32, (number.to_bits() >> 32) as u32]);
        Ok(halves.take(count).map(|tries| tries >= TRIES).collect())
    }

    /// Writes the numbers of the first members of a column.
    ///
    /// # Errors
    /// The device fails.
    pub fn write(&mut self, column: usize, numbers: &[f64]) -> Result<(), DeviceError> {
        self.device.write(self.address_of(column), numbers)
    }

    /// Reads them.
    ///
    /// # Errors
    /// The device fails.
    pub fn read(&mut self, column: usize, numbers: &mut [f64]) -> Result<(), DeviceError> {
        let address = self.address_of(column);
        let passing = &mut self.column[..numbers.len()];
        self.device.read(address, passing)?;
        numbers.copy_from_slice(passing);
        Ok(())
    }

    /// Waits until all is done.
    ///
    /// # Errors
    /// The device fails.
    pub fn finish(&mut self) -> Result<(), DeviceError> {
        self.device.finish()
    }

    fn address_of(&self, column: usize) -> u64 {
        self.address + (column * self.members * size_of::<f64>()) as u64
    }
}

impl Drop for MemberTable<'_> {
    fn drop(&mut self) {
        // Of a device that was lost nothing can be given back.
        let _ = self.device.release(self.address).and_then(|()| self.device.release(self.counters));
    }
}
