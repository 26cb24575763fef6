//! A frame as a row group of Apache Parquet, and the footer that makes row groups a file.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::RowAccessor;
use parquet::schema::types::{ColumnPath, Type};

use super::format::{Encoded, FrameEncoder};
use super::{Fields, Frame};
use crate::sink::to_io;

pub(super) const MAGIC: &[u8] = b"PAR1";
/// Length of the footer and the magic word, behind it.
const TAIL: usize = 8;

/// Makes row groups of one schema, and keeps what is known of those of a file.
pub(super) struct RowGroups {
    schema: Arc<Type>,
    properties: Arc<WriterProperties>,
    file: FileMetaData,
    groups: Vec<RowGroupMetaData>,
}

impl RowGroups {
    /// Of a file without rows.
    pub fn new(fields: &Fields) -> io::Result<RowGroups> {
        let texts = fields.integers + fields.numbers;
        let field = |(at, name): (usize, &str)| {
            let (kind, meaning, repetition) = match at {
                at if at < fields.integers => (PhysicalType::INT64, None, Repetition::REQUIRED),
                at if at < texts => (PhysicalType::DOUBLE, None, Repetition::REQUIRED),
                _ => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::OPTIONAL),
            };
            let builder = Type::primitive_type_builder(name, kind).with_repetition(repetition);
            builder.with_logical_type(meaning).build().map(Arc::new)
        };
        let columns = fields.names().enumerate().map(field).collect::<Result<Vec<_>, _>>().map_err(to_io)?;
        let schema = Arc::new(Type::group_type_builder("sweep").with_fields(columns).build().map_err(to_io)?);
        // Words repeat, numbers do not. Without page indexes a row group is one piece, which can be moved.
        let mut properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("extremal ", env!("CARGO_PKG_VERSION")).to_owned());
        for name in &fields.names[texts..] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), true);
        }
        let properties = Arc::new(properties.build());
        let empty = encoded(&schema, &properties, &Frame::new(fields)).map_err(to_io)?;
        let file = ParquetMetaDataReader::decode_metadata(&empty.footer).map_err(to_io)?.file_metadata().clone();
        Ok(RowGroups { schema, properties, file, groups: Vec::new() })
    }

    /// Adds the group whose bytes stand at `offset` and whose own footer this is.
    fn add(&mut self, offset: u64, own: &[u8]) -> Result<(), ParquetError> {
        let shift = offset as i64 - MAGIC.len() as i64;
        for group in ParquetMetaDataReader::decode_metadata(own)?.row_groups() {
            let moved = |column: &parquet::file::metadata::ColumnChunkMetaData| {
                let dictionary = column.dictionary_page_offset().map(|at| at + shift);
                let builder = column.clone().into_builder().set_dictionary_page_offset(dictionary);
                builder.set_data_page_offset(column.data_page_offset() + shift).build()
            };
            let columns = group.columns().iter().map(moved).collect::<Result<Vec<_>, _>>()?;
            let builder = group.clone().into_builder().set_column_metadata(columns).set_file_offset(offset as i64);
            let ordinal = i32::try_from(self.groups.len())
                .map_err(|_| ParquetError::General("a file cannot have so many row groups".to_owned()))?;
            self.groups.push(builder.set_ordinal(ordinal).build()?);
        }
        Ok(())
    }
}

impl FrameEncoder for RowGroups {
    /// A frame without rows has no row group, but still the footer of a file without.
    fn encode(&mut self, frame: &Frame, offset: u64) -> io::Result<Encoded> {
        let encoded = encoded(&self.schema, &self.properties, frame).map_err(to_io)?;
        self.resume(offset, &encoded.footer)?;
        Ok(encoded)
    }

    fn resume(&mut self, offset: u64, footer: &[u8]) -> io::Result<()> {
        self.add(offset, footer).map_err(to_io)
    }

    fn ending(&self) -> io::Result<Vec<u8>> {
        let rows = self.groups.iter().map(RowGroupMetaData::num_rows).sum();
        let file = FileMetaData::new(
            self.file.version(),
            rows,
            self.file.created_by().map(str::to_owned),
            self.file.key_value_metadata().cloned(),
            self.file.schema_descr_ptr(),
            self.file.column_orders().cloned(),
        );
        let mut bytes = Vec::new();
        let metadata = ParquetMetaData::new(file, self.groups.clone());
        ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().map_err(to_io)?;
        Ok(bytes)
    }
}

fn encoded(schema: &Arc<Type>, properties: &Arc<WriterProperties>, frame: &Frame) -> Result<Encoded, ParquetError> {
    let mut writer = SerializedFileWriter::new(Vec::new(), schema.clone(), properties.clone())?;
    if frame.rows > 0 {
        let mut group = writer.next_row_group()?;
        for values in &frame.integers {
            write_column::<Int64Type>(&mut group, values, None)?;
        }
        for values in &frame.numbers {
            write_column::<DoubleType>(&mut group, values, None)?;
        }
        for values in &frame.texts {
            let levels: Vec<i16> = values.iter().map(|word| i16::from(word.is_some())).collect();
            let words: Vec<ByteArray> = values.iter().flatten().map(|word| word.as_ref().into()).collect();
            write_column::<ByteArrayType>(&mut group, &words, Some(&levels))?;
        }
        group.close()?;
    }
    let mut bytes = writer.into_inner()?;
    let length = bytes.len().checked_sub(TAIL).and_then(|tail| {
        let length: [u8; 4] = bytes.get(tail..tail + 4)?.try_into().ok()?;
        tail.checked_sub(u32::from_le_bytes(length) as usize).filter(|begin| *begin >= MAGIC.len())
    });
    let begin = length.ok_or_else(|| ParquetError::General("the footer has no length".to_owned()))?;
    let footer = bytes[begin..bytes.len() - TAIL].to_vec();
    bytes.truncate(begin);
    bytes.drain(..MAGIC.len());
    Ok(Encoded { bytes, footer })
}

fn write_column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("a column is missing in the schema".to_owned()))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

/// The row groups of a file that [`RowGroups`] has made, as frames again.
pub(super) struct GroupReader {
    file: SerializedFileReader<File>,
    fields: Fields,
}

impl GroupReader {
    pub fn open(path: &Path) -> io::Result<GroupReader> {
        let file = SerializedFileReader::new(File::open(path)?).map_err(to_io)?;
        let mut names = [Vec::new(), Vec::new(), Vec::new()];
        let columns = file.metadata().file_metadata().schema_descr().columns().to_vec();
        for column in &columns {
            let kind = match column.physical_type() {
                PhysicalType::INT64 => 0,
                PhysicalType::DOUBLE => 1,
                PhysicalType::BYTE_ARRAY => 2,
                other => return Err(to_io(ParquetError::General(format!("no table of ours has columns of {other}")))),
            };
            names[kind].push(column.name().to_owned());
        }
        let [integers, numbers, texts] = names;
        let fields =
            Fields::new(integers, numbers, texts).map_err(|error| to_io(ParquetError::External(error.into())))?;
        if !fields.names().eq(columns.iter().map(|column| column.name())) {
            return Err(to_io(ParquetError::General("no table of ours has its columns in this order".to_owned())));
        }
        Ok(GroupReader { file, fields })
    }

    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    pub fn groups(&self) -> usize {
        self.file.num_row_groups()
    }

    pub fn frame(&self, group: usize) -> io::Result<Frame> {
        self.read(group).map_err(to_io)
    }

    fn read(&self, group: usize) -> Result<Frame, ParquetError> {
        let group = self.file.get_row_group(group)?;
        let group = group.as_ref();
        let mut frame = Frame::new(&self.fields);
        frame.rows = group.metadata().num_rows() as usize;
        let first_text = self.fields.integers + self.fields.numbers;
        for at in 0..self.fields.len() {
            if at < self.fields.integers {
                frame.integers[at] = read_column::<Int64Type>(group, at, &mut None)?;
            } else if at < first_text {
                frame.numbers[at - self.fields.integers] = read_column::<DoubleType>(group, at, &mut None)?;
            } else {
                let mut present = Some(Vec::new());
                let mut words = read_column::<ByteArrayType>(group, at, &mut present)?.into_iter();
                for level in present.unwrap_or_default() {
                    let word = if level > 0 { words.next() } else { None };
                    let word = word.map(|word| word.as_utf8().map(|text| Cow::Owned(text.to_owned()))).transpose()?;
                    frame.texts[at - first_text].push(word);
                }
            }
        }
        Ok(frame)
    }
}

/// The values of a column; where some may be missing, `present` gets 1 or 0 for each row.
fn read_column<T: DataType>(
    group: &dyn RowGroupReader,
    at: usize,
    present: &mut Option<Vec<i16>>,
) -> Result<Vec<T::T>, ParquetError> {
    let rows = group.metadata().num_rows() as usize;
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(at)?);
    let (mut values, mut read) = (Vec::with_capacity(rows), 0);
    while read < rows {
        let (records, ..) = reader.read_records(rows - read, present.as_mut(), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General("a column ends before its rows do".to_owned()));
        }
        read += records;
    }
    Ok(values)
}

/// The first integer of the last row.
pub(super) fn last_integer(path: &Path) -> io::Result<Option<i64>> {
    let Ok(reader) = SerializedFileReader::new(File::open(path)?) else { return Ok(None) };
    let Some(group) = reader.num_row_groups().checked_sub(1) else { return Ok(None) };
    let rows = reader.get_row_group(group).map_err(to_io)?;
    let last = rows.get_row_iter(None).map_err(to_io)?.last().transpose().map_err(to_io)?;
    Ok(last.and_then(|row| row.get_long(0).ok()))
}
