//! What the members of a sweep are marched on.

use std::thread::{self, JoinHandle};

use clap::ValueEnum;
use extremal_engine::devices::{Device, DeviceError, devices};
use extremal_engine::sweep::{CompiledSweep, DeviceReport};
use serde::Serialize;

use crate::failure::CommandError;
use crate::terminal::{ERROR, WARNING, print_error};

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    /// The processor
    #[default]
    Cpu,
    /// All GPUs of this machine; what they cannot do the processor does
    Gpu,
    /// The same if there are any
    Auto,
}

/// Devices that were opened.
type OpenedDevices = Result<Vec<Box<dyn Device>>, DeviceError>;

/// Devices that are being opened, while the model is read and compiled.
pub struct OpeningDevices {
    name: DeviceName,
    opening: Option<JoinHandle<OpenedDevices>>,
}

impl DeviceName {
    /// Begins to open what is asked for.
    pub fn open(self) -> OpeningDevices {
        let opening = (self != DeviceName::Cpu).then(|| thread::spawn(devices));
        OpeningDevices { name: self, opening }
    }

    /// Are steps to be prepared for devices?
    pub fn is_wide(self) -> bool {
        self != DeviceName::Cpu
    }
}

impl OpeningDevices {
    /// Gives a sweep the devices, if there are any; where they were asked for, there must be.
    pub fn give(self, sweep: CompiledSweep, quiet: bool) -> Result<CompiledSweep, CommandError> {
        let Some(opening) = self.opening else { return Ok(sweep) };
        let opened = opening.join().unwrap_or_else(|_| Err(DeviceError::NoDevice { reason: String::new() }));
        match opened {
            Ok(devices) => Ok(sweep.on_devices(devices)),
            Err(error) if self.name == DeviceName::Gpu => Err(CommandError::Device(error)),
            Err(error) => {
                if !quiet {
                    print_error(&format!("{WARNING}note{WARNING:#}: the processor marches all members, for {error}\n"));
                }
                Ok(sweep)
            }
        }
    }
}

/// What devices did, as data.
#[derive(Serialize)]
pub struct DeviceSummary {
    devices: Vec<String>,
    /// Why they did nothing.
    refused: Option<String>,
    marched: u64,
    /// Members that the processor marched again.
    left: u64,
    ready_seconds: f64,
    marching_seconds: f64,
}

impl DeviceSummary {
    pub fn of(report: &DeviceReport) -> DeviceSummary {
        let DeviceReport { devices, refusal, marched, left, ready, marching, .. } = report;
        DeviceSummary {
            devices: devices.clone(),
            refused: refusal.as_ref().map(ToString::to_string),
            marched: *marched,
            left: *left,
            ready_seconds: *ready,
            marching_seconds: *marching,
        }
    }
}

/// What devices did, in words.
pub fn told(report: &DeviceReport) -> String {
    let DeviceReport { devices, refusal, marched, left, .. } = report;
    let names = devices.join(", ");
    match refusal {
        Some(refusal) => format!("none on {names}: {refusal}"),
        None if *left == 0 => format!("{marched} on {names}"),
        None => format!("{marched} on {names}; {left} of them again by the processor"),
    }
}

/// Says on standard error that a device has failed.
pub fn report_failure(report: Option<&DeviceReport>) {
    if let Some(failure) = report.and_then(|report| report.failure.as_ref()) {
        print_error(&format!("{ERROR}error{ERROR:#}: {failure}\n"));
    }
}
