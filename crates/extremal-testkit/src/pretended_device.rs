//! A device that is none: its kernels are read from their text and interpreted, and it fails when it is told to.

use std::collections::HashMap;

use extremal_device::{Device, DeviceError, HostNumbers, LaunchArgument, LoadedKernel, LoadedModule};

use crate::ptx::{DeviceMemory, KernelArgument, PtxModule};

/// A pretended device.
pub struct PretendedDevice {
    memory: DeviceMemory,
    /// How much there is, and how much of it is used.
    bytes: u64,
    used: HashMap<u64, u64>,
    modules: Vec<PtxModule>,
    kernels: Vec<(usize, String)>,
    /// It is lost after so many launches.
    launches_left: u64,
}

const NAME: &str = "a pretended device";

impl Default for PretendedDevice {
    fn default() -> PretendedDevice {
        PretendedDevice {
            memory: DeviceMemory::default(),
            bytes: 1 << 30,
            used: HashMap::new(),
            modules: Vec::new(),
            kernels: Vec::new(),
            launches_left: u64::MAX,
        }
    }
}

impl PretendedDevice {
    /// The same, but it is lost after so many launches.
    #[must_use]
    pub fn lost_after(self, launches: u64) -> PretendedDevice {
        PretendedDevice { launches_left: launches, ..self }
    }

    /// One with so much memory.
    pub fn with_memory(bytes: u64) -> PretendedDevice {
        PretendedDevice { bytes, ..PretendedDevice::default() }
    }

    fn free(&self) -> u64 {
        self.bytes - self.used.values().sum::<u64>()
    }

    fn put(&mut self, address: u64, bytes: impl ExactSizeIterator<Item = u8>) {
        let to = self.memory.bytes_mut(address, bytes.len()).unwrap_or_else(|problem| panic!("{problem}"));
        to.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    }

    fn get(&self, address: u64, bytes: usize) -> &[u8] {
        self.memory.bytes(address, bytes).unwrap_or_else(|problem| panic!("{problem}"))
    }
}

impl Device for PretendedDevice {
    fn name(&self) -> &str {
        NAME
    }

    fn free_memory(&mut self) -> Result<u64, DeviceError> {
        Ok(self.free())
    }

    fn load(&mut self, text: &str) -> Result<LoadedModule, DeviceError> {
        self.modules.push(PtxModule::parse(text).unwrap_or_else(|problem| panic!("{problem}\n{text}")));
        Ok(LoadedModule(self.modules.len() - 1))
    }

    fn kernel(&mut self, module: LoadedModule, name: &str) -> Result<LoadedKernel, DeviceError> {
        self.kernels.push((module.0, name.to_owned()));
        Ok(LoadedKernel(self.kernels.len() - 1))
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        if bytes > self.free() {
            return Err(DeviceError::OutOfMemory { device: NAME.to_owned(), bytes });
        }
        let address = self.memory.allocate(bytes as usize);
        self.used.insert(address, bytes);
        Ok(address)
    }

    fn release(&mut self, address: u64) -> Result<(), DeviceError> {
        self.used.remove(&address);
        self.memory.free(address);
        Ok(())
    }

    fn fill(&mut self, address: u64, value: u32, count: usize) -> Result<(), DeviceError> {
        let bytes: Vec<u8> = std::iter::repeat_n(value.to_le_bytes(), count).flatten().collect();
        self.put(address, bytes.into_iter());
        Ok(())
    }

    fn write(&mut self, address: u64, numbers: &[f64]) -> Result<(), DeviceError> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.put(address, bytes.into_iter());
        Ok(())
    }

    fn another(&mut self) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(PretendedDevice {
            bytes: self.free(),
            launches_left: self.launches_left,
            ..PretendedDevice::default()
        }))
    }

    fn host_numbers(&mut self, count: usize) -> Result<HostNumbers, DeviceError> {
        Ok(HostNumbers::new(vec![f64::NAN; count]))
    }

    fn read(&mut self, address: u64, numbers: &mut [f64]) -> Result<(), DeviceError> {
        let (bytes, _) = self.get(address, size_of_val(numbers)).as_chunks();
        numbers.iter_mut().zip(bytes).for_each(|(number, bytes)| *number = f64::from_le_bytes(*bytes));
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: LoadedKernel,
        threads: u32,
        block: u32,
        arguments: &[LaunchArgument<'_>],
    ) -> Result<(), DeviceError> {
        let Some(left) = self.launches_left.checked_sub(1) else {
            let (device, reason) = (NAME.to_owned(), "it was unplugged".to_owned());
            return Err(DeviceError::Lost { device, call: "launch", reason });
        };
        self.launches_left = left;
        let argument = |argument: &LaunchArgument<'_>| match argument {
            LaunchArgument::Long(value) => KernelArgument::Long(*value),
            LaunchArgument::Short(value) => KernelArgument::Word(*value),
            LaunchArgument::Numbers(numbers) => KernelArgument::Numbers(numbers.to_vec()),
        };
        let arguments: Vec<KernelArgument> = arguments.iter().map(argument).collect();
        let (module, name) = &self.kernels[kernel.0];
        self.modules[*module]
            .launch(name, threads.div_ceil(block), block, &arguments, &mut self.memory)
            .unwrap_or_else(|problem| panic!("{problem}"));
        Ok(())
    }

    fn finish(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}
