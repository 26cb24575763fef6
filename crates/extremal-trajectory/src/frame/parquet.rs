//! A frame as a row group of Apache Parquet, and the footer that makes row groups a file.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::{Fields, Frame, Word};

pub(super) const MAGIC: &[u8] = b"PAR1";
/// Length of the footer and the magic word, behind it.
const TAIL: usize = 8;

/// Makes row groups of one schema.
#[derive(Clone)]
pub(super) struct Encoder {
    schema: Arc<Type>,
    properties: Arc<WriterProperties>,
}

/// A row group: its bytes, and the footer of a file that would hold nothing else.
pub(super) struct Group {
    pub bytes: Vec<u8>,
    pub footer: Vec<u8>,
}

impl Encoder {
    pub fn new(fields: &Fields) -> Result<Encoder, ParquetError> {
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
        let columns = fields.names().enumerate().map(field).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("sweep").with_fields(columns).build()?;
        // Words repeat, numbers do not. Without page indexes a row group is one piece, which can be moved.
        let mut properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("extremal ", env!("CARGO_PKG_VERSION")).to_owned());
        for name in &fields.names[texts..] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(name.as_str()), true);
        }
        Ok(Encoder { schema: Arc::new(schema), properties: Arc::new(properties.build()) })
    }

    /// The row group of a frame; a frame without rows gives none, but still a footer.
    pub fn encode(&self, frame: &Frame) -> Result<Group, ParquetError> {
        let mut writer = SerializedFileWriter::new(Vec::new(), self.schema.clone(), self.properties.clone())?;
        if frame.rows > 0 {
            let mut group = writer.next_row_group()?;
            let mut columns = Columns::of(frame);
            while let Some(mut column) = group.next_column()? {
                match columns.next() {
                    Some(Column::Integers(values)) => {
                        column.typed::<Int64Type>().write_batch(values, None, None)?;
                    }
                    Some(Column::Numbers(values)) => {
                        column.typed::<DoubleType>().write_batch(values, None, None)?;
                    }
                    Some(Column::Texts(values)) => {
                        let levels: Vec<i16> = values.iter().map(|word| i16::from(word.is_some())).collect();
                        let words: Vec<ByteArray> = values.iter().flatten().map(|word| word.as_ref().into()).collect();
                        column.typed::<ByteArrayType>().write_batch(&words, Some(&levels), None)?;
                    }
                    None => {}
                }
                column.close()?;
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
        Ok(Group { bytes, footer })
    }
}

enum Column<'f> {
    Integers(&'f [i64]),
    Numbers(&'f [f64]),
    Texts(&'f [Word]),
}

struct Columns<'f> {
    frame: &'f Frame,
    at: usize,
}

impl<'f> Columns<'f> {
    fn of(frame: &'f Frame) -> Self {
        Columns { frame, at: 0 }
    }
}

impl<'f> Iterator for Columns<'f> {
    type Item = Column<'f>;

    fn next(&mut self) -> Option<Column<'f>> {
        let Frame { integers, numbers, texts, .. } = self.frame;
        let at = self.at;
        self.at += 1;
        let texts_at = at.checked_sub(integers.len() + numbers.len());
        integers
            .get(at)
            .map(|values| Column::Integers(values))
            .or_else(|| numbers.get(at.checked_sub(integers.len())?).map(|values| Column::Numbers(values)))
            .or_else(|| texts.get(texts_at?).map(|values| Column::Texts(values)))
    }
}

/// What is known of the row groups of a file so far.
pub(super) struct Footer {
    file: FileMetaData,
    groups: Vec<RowGroupMetaData>,
}

impl Footer {
    /// Of a file without rows.
    pub fn new(encoder: &Encoder, fields: &Fields) -> Result<Footer, ParquetError> {
        let empty = encoder.encode(&Frame::new(fields))?;
        let file = ParquetMetaDataReader::decode_metadata(&empty.footer)?.file_metadata().clone();
        Ok(Footer { file, groups: Vec::new() })
    }

    /// Adds the group whose bytes stand at `offset` and whose own footer this is.
    pub fn push(&mut self, offset: u64, own: &[u8]) -> Result<(), ParquetError> {
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

    /// The bytes that end a file with these groups.
    pub fn bytes(&self) -> Result<Vec<u8>, ParquetError> {
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
        ParquetMetaDataWriter::new(&mut bytes, &ParquetMetaData::new(file, self.groups.clone())).finish()?;
        Ok(bytes)
    }
}
