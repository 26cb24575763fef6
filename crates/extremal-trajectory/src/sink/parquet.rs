use super::Sink;
use crate::Columns;
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Apache Parquet: one required `DOUBLE` per column under the column's own
/// name, uncompressed, so every bit survives, NaN too. Rows are gathered into
/// row groups; the footer that makes the file readable is written by `finish`.
pub struct ParquetSink<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Vec<f64>>,
    group_rows: usize,
    finished: bool,
}

impl<W: Write + Send> ParquetSink<W> {
    /// Numbers gathered before a row group is written: 32 MiB of them.
    const GROUP_VALUES: usize = 1 << 22;
    const MAX_GROUP_ROWS: usize = 1 << 17;
    const MIN_GROUP_ROWS: usize = 256;

    /// Writes the beginning of the file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W, columns: &Columns) -> io::Result<Self> {
        let fields = columns
            .names()
            .map(|name| {
                Type::primitive_type_builder(name, PhysicalType::DOUBLE)
                    .with_repetition(Repetition::REQUIRED)
                    .build()
                    .map(Arc::new)
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(to_io)?;
        let schema = Type::group_type_builder("trajectory").with_fields(fields).build().map_err(to_io)?;
        // Almost all values of a trajectory differ: a dictionary only costs.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_created_by(concat!("extremal ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(to_io)?;
        Ok(Self {
            writer,
            columns: vec![Vec::new(); columns.len()],
            group_rows: (Self::GROUP_VALUES / columns.len()).clamp(Self::MIN_GROUP_ROWS, Self::MAX_GROUP_ROWS),
            finished: false,
        })
    }

    fn gathered(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for values in &mut self.columns {
            if let Some(mut column) = group.next_column()? {
                column.typed::<DoubleType>().write_batch(values, None, None)?;
                column.close()?;
            }
            values.clear();
        }
        group.close()?;
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        for (column, x) in self.columns.iter_mut().zip(row) {
            column.push(*x);
        }
        if self.gathered() >= self.group_rows {
            self.write_group().map_err(to_io)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.finished {
            return Ok(());
        }
        self.finished = true;
        if self.gathered() > 0 {
            self.write_group().map_err(to_io)?;
        }
        self.writer.finish().map_err(to_io)?;
        self.writer.inner_mut().flush()
    }
}

/// The system's own error, where there is one.
pub(crate) fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
