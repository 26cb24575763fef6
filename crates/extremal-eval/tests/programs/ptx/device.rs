//! A pretended device.

use extremal_eval::ptx::{ThreadKernel, module};
use extremal_testkit::ptx::{DeviceMemory, KernelArgument, PtxModule};

/// A table of members on a pretended device.
pub struct Device {
    memory: DeviceMemory,
    table: u64,
    counters: u64,
    members: usize,
    columns: usize,
}

impl Device {
    /// With so many columns, of which the first are given, and the same steps left for all.
    pub fn new(given: &[Vec<f64>], columns: usize, left: u32) -> Device {
        let members = given[0].len();
        let mut table: Vec<f64> = given.concat();
        table.resize(columns * members, f64::NAN);
        let mut memory = DeviceMemory::default();
        let table = memory.put(&table);
        let mut counters = vec![left; members];
        counters.resize(2 * members, 0);
        let counters = memory.put_counts(&counters);
        Device { memory, table, counters, members, columns }
    }

    pub fn launch(&mut self, kernel: &ThreadKernel, rounds: u32, uniform: impl Fn(usize, usize) -> f64) {
        let text = module(&[kernel]);
        let module = PtxModule::parse(&text).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
        let uniforms = kernel.uniforms(uniform);
        let mut arguments = vec![
            KernelArgument::Long(self.table),
            KernelArgument::Long(self.members as u64),
            KernelArgument::Long(0),
            KernelArgument::Word(self.members as u32),
            KernelArgument::Word(rounds),
            KernelArgument::Long(self.counters),
        ];
        if !uniforms.is_empty() {
            arguments.push(KernelArgument::Numbers(uniforms));
        }
        // One thread more than there are members.
        let blocks = self.members as u32 / 4 + 1;
        module
            .launch(kernel.name(), blocks, 4, &arguments, &mut self.memory)
            .unwrap_or_else(|problem| panic!("{problem}\n{text}"));
    }

    pub fn column(&self, at: usize) -> Vec<f64> {
        assert!(at < self.columns);
        self.memory.numbers(self.table + 8 * (at * self.members) as u64, self.members)
    }

    /// Steps left, and tries.
    pub fn counters(&self) -> [Vec<u32>; 2] {
        let all = self.memory.counts(self.counters, 2 * self.members);
        [all[..self.members].to_vec(), all[self.members..].to_vec()]
    }
}
