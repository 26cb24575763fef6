//! NVIDIA's devices, by the driver that comes with them.
//!
//! Every device has a stream of its own, so that calls are done in their order, and its memory is that of plain allocations.
#![allow(unsafe_code, reason = "the driver is a library in C")]

mod library;

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{mem, ptr, slice};

use crate::{Device, DeviceError, HostNumbers, LaunchArgument, LoadedKernel, LoadedModule};
use library::{DevicePointer, DriverCode, DriverFunctions, Handle};

/// Codes of the driver that are told apart.
const OUT_OF_MEMORY: DriverCode = 2;
const NO_DEVICE: DriverCode = 100;

/// A stream that does not wait for others.
const NON_BLOCKING: c_uint = 1;
/// Options of the compiler: where its words about errors go, and how many.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;
const LOG_BYTES: usize = 8192;

/// Memory of the processor that all devices can write to.
const PORTABLE: c_uint = 1;

/// Opens all devices.
pub fn devices() -> Result<Vec<Box<dyn Device>>, DeviceError> {
    let driver = Arc::new(DriverFunctions::open()?);
    let none = |code: DriverCode| DeviceError::NoDevice { reason: driver.words(code) };
    let mut count = 0;
    // SAFETY: initialisation comes first, and `count` is written before it is read.
    let code = unsafe {
        match (driver.init)(0) {
            0 => (driver.device_count)(&mut count),
            code => code,
        }
    };
    match (code, count) {
        (0, 1..) => (0..count)
            .map(|at| Ok(Box::new(CudaDevice::open(&driver, at, LoadedTexts::of(&driver))?) as Box<dyn Device>))
            .collect(),
        (0, _) => Err(none(NO_DEVICE)),
        (code, _) => Err(none(code)),
    }
}

/// One device.
struct CudaDevice {
    driver: Arc<DriverFunctions>,
    /// Its place among the devices, and what the driver calls it.
    ordinal: c_int,
    number: c_int,
    name: String,
    context: Handle,
    stream: Handle,
    modules: Arc<LoadedTexts>,
    kernels: Vec<Handle>,
}

/// Modules by their texts, which a device and the same once more have together.
struct LoadedTexts {
    driver: Arc<DriverFunctions>,
    modules: Mutex<Vec<(String, Handle)>>,
}

// SAFETY: handles are names that the driver gives, for any thread to use.
unsafe impl Send for LoadedTexts {}
// SAFETY: the same.
unsafe impl Sync for LoadedTexts {}

impl LoadedTexts {
    fn of(driver: &Arc<DriverFunctions>) -> Arc<LoadedTexts> {
        Arc::new(LoadedTexts { driver: driver.clone(), modules: Mutex::default() })
    }

    fn modules(&self) -> MutexGuard<'_, Vec<(String, Handle)>> {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for LoadedTexts {
    fn drop(&mut self) {
        for (_, module) in self.modules().iter() {
            // SAFETY: the module was loaded by this driver, and nobody else has it. The last device that had it has made its context
            // current, and holds it until then.
            unsafe { (self.driver.unload_module)(*module) };
        }
    }
}

// SAFETY: the driver allows its calls from any thread, and every method makes the context current in its own first. Two methods never
// run at once, for all take the device by a mutable reference.
unsafe impl Send for CudaDevice {}

impl CudaDevice {
    fn open(driver: &Arc<DriverFunctions>, at: c_int, modules: Arc<LoadedTexts>) -> Result<CudaDevice, DeviceError> {
        let mut device = CudaDevice {
            driver: driver.clone(),
            ordinal: at,
            number: 0,
            name: format!("GPU {at}"),
            context: ptr::null_mut(),
            stream: ptr::null_mut(),
            modules,
            kernels: Vec::new(),
        };
        let mut name = [0 as c_char; 256];
        // SAFETY: `at` is below the number of devices; all that is written is of the size that the driver is told or knows.
        unsafe {
            let code = (driver.device_get)(&mut device.number, at);
            device.check("cuDeviceGet", code)?;
            let code = (driver.device_name)(name.as_mut_ptr(), name.len() as c_int - 1, device.number);
            device.check("cuDeviceGetName", code)?;
            let code = (driver.retain_context)(&mut device.context, device.number);
            device.check("cuDevicePrimaryCtxRetain", code)?;
            device.enter()?;
            let code = (driver.create_stream)(&mut device.stream, NON_BLOCKING);
            device.check("cuStreamCreate", code)?;
        }
        let bytes: Vec<u8> = name.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
        device.name = String::from_utf8_lossy(&bytes).into_owned();
        Ok(device)
    }

    /// An error of the driver in its words. One of memory is told by those who asked for it.
    fn check(&self, call: &'static str, code: DriverCode) -> Result<(), DeviceError> {
        match code {
            0 => Ok(()),
            code => Err(DeviceError::Lost { device: self.name.clone(), call, reason: self.driver.words(code) }),
        }
    }

    /// Calls are about this device from here on.
    fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: the context is that of this device, and lives as long.
        self.check("cuCtxSetCurrent", unsafe { (self.driver.set_context)(self.context) })
    }
}

/// Memory of the processor that a device writes to by itself.
struct PinnedNumbers {
    driver: Arc<DriverFunctions>,
    context: Handle,
    first: *mut f64,
    count: usize,
}

// SAFETY: it is plain memory of this process, which nobody else has.
unsafe impl Send for PinnedNumbers {}
// SAFETY: the same; what is shared is only read.
unsafe impl Sync for PinnedNumbers {}

impl Deref for PinnedNumbers {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        // SAFETY: so many numbers were allocated; pages of the system are zero, and whatever is written there are numbers.
        unsafe { slice::from_raw_parts(self.first, self.count) }
    }
}

impl DerefMut for PinnedNumbers {
    fn deref_mut(&mut self) -> &mut [f64] {
        // SAFETY: the same, and nobody else has them.
        unsafe { slice::from_raw_parts_mut(self.first, self.count) }
    }
}

impl Drop for PinnedNumbers {
    fn drop(&mut self) {
        // SAFETY: it was allocated by this driver in this context, which is there as long as the program: it is the primary one.
        unsafe {
            (self.driver.set_context)(self.context);
            (self.driver.free_host)(self.first.cast());
        }
    }
}

impl Device for CudaDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn free_memory(&mut self) -> Result<u64, DeviceError> {
        self.enter()?;
        let (mut free, mut all) = (0, 0);
        // SAFETY: two numbers are written.
        self.check("cuMemGetInfo", unsafe { (self.driver.memory_info)(&mut free, &mut all) })?;
        Ok(free as u64)
    }

    fn load(&mut self, text: &str) -> Result<LoadedModule, DeviceError> {
        self.enter()?;
        let mut modules = self.modules.modules();
        if let Some(known) = modules.iter().position(|(known, _)| known == text) {
            return Ok(LoadedModule(known));
        }
        let refused = |reason: String| DeviceError::Refused { device: self.name.clone(), reason };
        let image = CString::new(text).map_err(|error| refused(error.to_string()))?;
        let mut log = vec![0u8; LOG_BYTES];
        let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG_BYTES)];
        let mut module = ptr::null_mut();
        // SAFETY: the text ends with a zero; there are as many values as options, each of the kind that its option has, and the log is as
        // long as is said.
        let code = unsafe {
            let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
            (self.driver.load_module)(&mut module, image.as_ptr().cast(), 2, options, values)
        };
        if code != 0 {
            let told: Vec<u8> = log.into_iter().take_while(|byte| *byte != 0).collect();
            let told = String::from_utf8_lossy(&told).trim().to_owned();
            let words = self.driver.words(code);
            return Err(refused(if told.is_empty() { words } else { format!("{words}\n{told}") }));
        }
        modules.push((text.to_owned(), module));
        Ok(LoadedModule(modules.len() - 1))
    }

    fn kernel(&mut self, module: LoadedModule, name: &str) -> Result<LoadedKernel, DeviceError> {
        self.enter()?;
        let refused = |reason: String| DeviceError::Refused { device: self.name.clone(), reason };
        let text = CString::new(name).map_err(|error| refused(error.to_string()))?;
        let mut kernel = ptr::null_mut();
        let module = self.modules.modules()[module.0].1;
        // SAFETY: the module was loaded on this device, and the name ends with a zero.
        let code = unsafe { (self.driver.get_function)(&mut kernel, module, text.as_ptr()) };
        if code != 0 {
            return Err(refused(format!("there is no kernel `{name}`: {}", self.driver.words(code))));
        }
        self.kernels.push(kernel);
        Ok(LoadedKernel(self.kernels.len() - 1))
    }

    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError> {
        self.enter()?;
        let mut address: DevicePointer = 0;
        // SAFETY: an address is written.
        match unsafe { (self.driver.allocate)(&mut address, bytes.max(1) as usize) } {
            OUT_OF_MEMORY => Err(DeviceError::OutOfMemory { device: self.name.clone(), bytes }),
            code => self.check("cuMemAlloc", code).map(|()| address),
        }
    }

    fn release(&mut self, address: u64) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the driver knows what it has allocated, and refuses other addresses. What still uses this is waited for.
        self.check("cuMemFree", unsafe { (self.driver.free)(address) })
    }

    fn fill(&mut self, address: u64, value: u32, count: usize) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: memory of the device alone is written, by the device, which knows what is allocated there.
        self.check("cuMemsetD32Async", unsafe { (self.driver.fill)(address, value, count, self.stream) })
    }

    fn write(&mut self, address: u64, numbers: &[f64]) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: the driver has read memory that can be paged before it returns.
        let code = unsafe {
            (self.driver.copy_to_device)(address, numbers.as_ptr().cast(), size_of_val(numbers), self.stream)
        };
        self.check("cuMemcpyHtoDAsync", code)
    }

    fn read(&mut self, address: u64, numbers: &mut [f64]) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: `numbers` are as long as what is copied there, and are not touched before the stream has been waited for.
        let code = unsafe {
            (self.driver.copy_to_host)(numbers.as_mut_ptr().cast(), address, size_of_val(numbers), self.stream)
        };
        self.check("cuMemcpyDtoHAsync", code)?;
        self.finish()
    }

    fn another(&mut self) -> Result<Box<dyn Device>, DeviceError> {
        Ok(Box::new(CudaDevice::open(&self.driver, self.ordinal, self.modules.clone())?))
    }

    fn host_numbers(&mut self, count: usize) -> Result<HostNumbers, DeviceError> {
        self.enter()?;
        let (bytes, mut first) = (count.max(1) * size_of::<f64>(), ptr::null_mut());
        // SAFETY: a new allocation, of which the address is written.
        let code = unsafe { (self.driver.allocate_host)(&mut first, bytes, PORTABLE) };
        self.check("cuMemHostAlloc", code)?;
        Ok(HostNumbers::new(PinnedNumbers {
            driver: self.driver.clone(),
            context: self.context,
            first: first.cast(),
            count,
        }))
    }

    fn launch(
        &mut self,
        kernel: LoadedKernel,
        threads: u32,
        block: u32,
        arguments: &[LaunchArgument<'_>],
    ) -> Result<(), DeviceError> {
        if threads == 0 {
            return Ok(());
        }
        self.enter()?;
        let place = |argument: &LaunchArgument<'_>| match argument {
            LaunchArgument::Long(value) => ptr::from_ref(value).cast::<c_void>().cast_mut(),
            LaunchArgument::Short(value) => ptr::from_ref(value).cast::<c_void>().cast_mut(),
            LaunchArgument::Numbers(numbers) => numbers.as_ptr().cast::<c_void>().cast_mut(),
        };
        let mut places: Vec<*mut c_void> = arguments.iter().map(place).collect();
        let blocks = threads.div_ceil(block.max(1));
        // SAFETY: the kernel is one of this device; each of its parameters is read from a place of its size before the call returns.
        let code = unsafe {
            let kernel = self.kernels[kernel.0];
            let places = places.as_mut_ptr();
            (self.driver.launch)(kernel, blocks, 1, 1, block.max(1), 1, 1, 0, self.stream, places, ptr::null_mut())
        };
        self.check("cuLaunchKernel", code)
    }

    fn finish(&mut self) -> Result<(), DeviceError> {
        self.enter()?;
        // SAFETY: waits for the stream of this device.
        self.check("cuStreamSynchronize", unsafe { (self.driver.synchronize)(self.stream) })
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        if self.context.is_null() || self.enter().is_err() {
            return;
        }
        // What cannot be given back now is given back with the program.
        // SAFETY: the stream was made by this device, and nobody else has it.
        unsafe {
            if !self.stream.is_null() {
                (self.driver.synchronize)(self.stream);
                (self.driver.destroy_stream)(self.stream);
            }
        }
        // The last one of this device unloads its modules.
        drop(mem::replace(&mut self.modules, LoadedTexts::of(&self.driver)));
        // SAFETY: it was retained when the device was opened.
        unsafe { (self.driver.release_context)(self.number) };
    }
}
