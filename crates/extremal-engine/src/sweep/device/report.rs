//! Devices of a sweep, and what they did.

use std::sync::{Mutex, MutexGuard, PoisonError};

use extremal_device::{Device, DeviceError};

use super::DeviceRefusal;

/// What devices did in a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// Their names.
    pub devices: Vec<String>,
    /// Why they do nothing, where that is so.
    pub refusal: Option<DeviceRefusal>,
    /// Members that they have marched,
    pub marched: u64,
    /// and those among them that the processor marched again.
    pub left: u64,
    /// Why they ended before all members had ended, where they did.
    pub failure: Option<DeviceError>,
    /// Seconds until the kernels were there, and seconds in which at least one device had members.
    pub ready: f64,
    /// The second.
    pub marching: f64,
}

/// Devices that a sweep marches its members on.
pub struct SweepDevices {
    devices: Mutex<Vec<Box<dyn Device>>>,
    report: Mutex<DeviceReport>,
}

impl SweepDevices {
    /// These.
    pub fn new(devices: Vec<Box<dyn Device>>) -> SweepDevices {
        let names = devices.iter().map(|device| device.name().to_owned()).collect();
        let report = DeviceReport { devices: names, ..DeviceReport::default() };
        SweepDevices { devices: Mutex::new(devices), report: Mutex::new(report) }
    }

    /// What they did so far.
    pub fn report(&self) -> DeviceReport {
        self.told().clone()
    }

    pub(super) fn told(&self) -> MutexGuard<'_, DeviceReport> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Box<dyn Device>>> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says why they do nothing.
    pub(in crate::sweep) fn refuse(&self, refusal: DeviceRefusal) {
        self.told().refusal = Some(refusal);
    }
}
