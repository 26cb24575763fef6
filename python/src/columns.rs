//! Numbers of a result as NumPy and Arrow see them: where they are, without a copy.
//!
//! The one place with `unsafe`: memory of a result is lent to others, who keep the result alive.
#![allow(unsafe_code)]

use std::panic::AssertUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::ArrowError;
use numpy::PyArray1;
use numpy::ndarray::ArrayView1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A column as a NumPy array that cannot be written to. `owner` is a frozen Python object that holds the numbers: they are neither moved
/// nor changed while it lives, and the array keeps it alive.
pub fn lent<'py, T: numpy::Element>(numbers: &[T], owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<T>>> {
    // SAFETY: the slice lives in the owner, which is immutable and which the array holds a reference to.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(numbers), owner) };
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// A table that is to be handed over: columns under names.
pub struct LentTable<O> {
    owner: Arc<AssertUnwindSafe<O>>,
    columns: Vec<(String, ArrayRef)>,
}

impl<O: Send + Sync + 'static> LentTable<O> {
    /// No columns yet. Those lent later are slices in what `owner` shares: it must not change them while it lives.
    pub fn of(owner: O) -> LentTable<O> {
        LentTable { owner: Arc::new(AssertUnwindSafe(owner)), columns: Vec::new() }
    }

    /// Numbers of the owner, where they are.
    pub fn lend(&mut self, name: &str, column: impl FnOnce(&O) -> Option<&[f64]>) {
        let Some(numbers) = column(&self.owner.0) else { return };
        // SAFETY: the numbers live in the owner, which the buffer holds; the owner's data are shared and never changed.
        let buffer = unsafe {
            Buffer::from_custom_allocation(NonNull::from(numbers).cast(), size_of_val(numbers), self.owner.clone())
        };
        let array = Float64Array::new(ScalarBuffer::from(buffer), None);
        self.columns.push((name.to_owned(), Arc::new(array)));
    }

    /// Integers, copied.
    pub fn integers(&mut self, name: &str, column: &[i64]) {
        self.columns.push((name.to_owned(), Arc::new(Int64Array::from(column.to_vec()))));
    }

    /// Words, copied.
    pub fn words<'w>(&mut self, name: &str, column: impl Iterator<Item = Option<&'w str>>) {
        self.columns.push((name.to_owned(), Arc::new(column.collect::<StringArray>())));
    }

    /// As a stream of one batch, by the Arrow PyCapsule interface.
    pub fn capsule<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let wrong = |error: ArrowError| PyRuntimeError::new_err(error.to_string());
        let batch = RecordBatch::try_from_iter(self.columns).map_err(wrong)?;
        let schema = batch.schema();
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
