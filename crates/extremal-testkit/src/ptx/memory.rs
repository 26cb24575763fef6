//! DeviceMemory of a device, with gaps between what was allocated.

use super::{PtxProblem, problem};

/// What was allocated, by addresses.
#[derive(Clone, Debug, Default)]
pub struct DeviceMemory {
    blocks: Vec<(u64, Vec<u8>)>,
}

/// Where the first block begins; numbers beside functions lie before it.
pub(super) const FIRST: u64 = 0x7000_0000_0000;
/// Blocks begin at multiples of it.
const UNIT: u64 = 256;

impl DeviceMemory {
    /// Numbers of functions lie far from the others.
    pub(super) fn beginning_at(first: u64) -> DeviceMemory {
        DeviceMemory { blocks: vec![(first, Vec::new())] }
    }

    /// New bytes, none of them zero; where they begin.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        let end = self.blocks.last().map_or(FIRST, |(at, block)| at + block.len() as u64);
        // A gap, so that what is read behind the end is noticed.
        let at = (end / UNIT + 2) * UNIT;
        self.blocks.push((at, vec![0xa5; bytes]));
        at
    }

    /// Puts numbers into new memory; where they begin.
    pub fn put(&mut self, numbers: &[f64]) -> u64 {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.put_bytes(&bytes)
    }

    /// Puts counts into new memory; where they begin.
    pub fn put_counts(&mut self, counts: &[u32]) -> u64 {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        self.put_bytes(&bytes)
    }

    /// Puts bytes into new memory; where they begin.
    pub fn put_bytes(&mut self, bytes: &[u8]) -> u64 {
        let at = self.allocate(bytes.len());
        if let Some((_, block)) = self.blocks.last_mut() {
            block.copy_from_slice(bytes);
        }
        at
    }

    /// Lets a block go; what is read of it later is a problem.
    pub fn free(&mut self, at: u64) {
        self.blocks.retain(|(begin, _)| *begin != at);
    }

    /// Some bytes.
    ///
    /// # Errors
    /// They were not allocated, all in one block.
    pub fn bytes(&self, at: u64, count: usize) -> Result<&[u8], PtxProblem> {
        let (place, range) = self.place(at, count)?;
        Ok(&self.blocks[place].1[range])
    }

    /// The same, to be written.
    ///
    /// # Errors
    /// They were not allocated, all in one block.
    pub fn bytes_mut(&mut self, at: u64, count: usize) -> Result<&mut [u8], PtxProblem> {
        let (place, range) = self.place(at, count)?;
        Ok(&mut self.blocks[place].1[range])
    }

    fn place(&self, at: u64, count: usize) -> Result<(usize, std::ops::Range<usize>), PtxProblem> {
        let place = self.blocks.partition_point(|(begin, _)| *begin <= at).wrapping_sub(1);
        if let Some((begin, block)) = self.blocks.get(place) {
            let first = (at - begin) as usize;
            if first.checked_add(count).is_some_and(|end| end <= block.len()) {
                return Ok((place, first..first + count));
            }
        }
        problem(format!("{count} bytes at {at:#x} were not allocated"))
    }

    /// Numbers from an address on.
    ///
    /// # Panics
    /// If they were not allocated.
    pub fn numbers(&self, at: u64, count: usize) -> Vec<f64> {
        let bytes = self.bytes(at, 8 * count).unwrap_or_else(|problem| panic!("{problem}"));
        let (numbers, _) = bytes.as_chunks::<8>();
        numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
    }

    /// Counts from an address on.
    ///
    /// # Panics
    /// If they were not allocated.
    pub fn counts(&self, at: u64, count: usize) -> Vec<u32> {
        let bytes = self.bytes(at, 4 * count).unwrap_or_else(|problem| panic!("{problem}"));
        let (counts, _) = bytes.as_chunks::<4>();
        counts.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    pub(super) fn load(&self, at: u64, width: usize) -> Result<u64, PtxProblem> {
        aligned(at, width)?;
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(self.bytes(at, width)?);
        Ok(u64::from_le_bytes(bytes))
    }

    pub(super) fn store(&mut self, at: u64, width: usize, bits: u64) -> Result<(), PtxProblem> {
        aligned(at, width)?;
        self.bytes_mut(at, width)?.copy_from_slice(&bits.to_le_bytes()[..width]);
        Ok(())
    }
}

fn aligned(at: u64, width: usize) -> Result<(), PtxProblem> {
    if at.is_multiple_of(width as u64) { Ok(()) } else { problem(format!("{width} bytes at {at:#x}")) }
}
