//! The functions of the driver, found by their names when it is opened.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::DeviceError;

/// What a function of the driver returns: zero where all is well.
pub type DriverCode = c_int;
/// A context, a module, a function, a stream: pointers that only the driver follows.
pub type Handle = *mut c_void;
/// An address in the memory of a device.
pub type DevicePointer = u64;

/// Files that the driver is in.
const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

macro_rules! functions {
    ($($name:ident: $symbol:literal($($argument:ty),*);)*) => {
        /// The functions that are used.
        pub struct DriverFunctions {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> DriverCode,)*
            /// What they point into.
            _library: Library,
        }

        impl DriverFunctions {
            /// Opens the driver.
            pub fn open() -> Result<DriverFunctions, DeviceError> {
                let mut reason = String::new();
                for name in NAMES {
                    // SAFETY: what the driver does when it is loaded is its own affair, and that of every program that uses it.
                    match unsafe { Library::new(name) } {
                        Ok(library) => return DriverFunctions::of(library),
                        Err(error) if reason.is_empty() => reason = error.to_string(),
                        Err(_) => {}
                    }
                }
                Err(DeviceError::NoDriver { reason })
            }

            fn of(library: Library) -> Result<DriverFunctions, DeviceError> {
                $(
                    // SAFETY: the type is that of the driver's documentation for this name, which never changes: another one gets
                    // another name.
                    let $name = unsafe { library.get::<unsafe extern "C" fn($($argument),*) -> DriverCode>($symbol.to_bytes_with_nul()) };
                    let function = || $symbol.to_str().unwrap_or_default();
                    let $name = *$name.map_err(|_| DeviceError::OldDriver { function: function() })?;
                )*
                Ok(DriverFunctions { $($name,)* _library: library })
            }
        }
    };
}

functions! {
    init: c"cuInit"(c_uint);
    device_count: c"cuDeviceGetCount"(*mut c_int);
    device_get: c"cuDeviceGet"(*mut c_int, c_int);
    device_name: c"cuDeviceGetName"(*mut c_char, c_int, c_int);
    retain_context: c"cuDevicePrimaryCtxRetain"(*mut Handle, c_int);
    release_context: c"cuDevicePrimaryCtxRelease_v2"(c_int);
    set_context: c"cuCtxSetCurrent"(Handle);
    create_stream: c"cuStreamCreate"(*mut Handle, c_uint);
    destroy_stream: c"cuStreamDestroy_v2"(Handle);
    synchronize: c"cuStreamSynchronize"(Handle);
    load_module: c"cuModuleLoadDataEx"(*mut Handle, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    unload_module: c"cuModuleUnload"(Handle);
    get_function: c"cuModuleGetFunction"(*mut Handle, Handle, *const c_char);
    memory_info: c"cuMemGetInfo_v2"(*mut usize, *mut usize);
    allocate: c"cuMemAlloc_v2"(*mut DevicePointer, usize);
    free: c"cuMemFree_v2"(DevicePointer);
    allocate_host: c"cuMemHostAlloc"(*mut *mut c_void, usize, c_uint);
    free_host: c"cuMemFreeHost"(*mut c_void);
    fill: c"cuMemsetD32Async"(DevicePointer, c_uint, usize, Handle);
    copy_to_device: c"cuMemcpyHtoDAsync_v2"(DevicePointer, *const c_void, usize, Handle);
    copy_to_host: c"cuMemcpyDtoHAsync_v2"(*mut c_void, DevicePointer, usize, Handle);
    launch: c"cuLaunchKernel"(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut *mut c_void, *mut *mut c_void);
    error_name: c"cuGetErrorName"(DriverCode, *mut *const c_char);
    error_text: c"cuGetErrorString"(DriverCode, *mut *const c_char);
}

impl DriverFunctions {
    /// What a code means, in the driver's words.
    pub fn words(&self, code: DriverCode) -> String {
        let word = |look_up: unsafe extern "C" fn(DriverCode, *mut *const c_char) -> DriverCode| {
            let mut text = std::ptr::null();
            // SAFETY: the driver writes a pointer to a text of its own, which lives as long as it does, or null.
            unsafe {
                let found = look_up(code, &mut text) == 0 && !text.is_null();
                found.then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        };
        match (word(self.error_text), word(self.error_name)) {
            (Some(text), Some(name)) => format!("{text}, {name}"),
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => format!("error {code}"),
        }
    }
}
