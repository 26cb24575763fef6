//! Every format keeps every bit, streamed, also when a run stops early.

use extremal_trajectory::{
    Column, Columns, Format, FormatError, ParquetSink, RecordError, Recorder, Role, Sink, SinkError, TextLayout,
    TextSink,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn columns() -> Columns {
    Columns::new([
        Column::time(),
        Column::coordinate("x"),
        Column::velocity("x"),
        Column::momentum("x"),
        Column::new("odd, \"name\"", Role::Output),
    ])
    .unwrap()
}

/// Numbers whose digits are easily lost.
fn rows() -> Vec<[f64; 5]> {
    vec![
        [0.0, 0.1 + 0.2, -0.0, f64::MAX, 5e-324],
        [1.0 / 3.0, 1e22, -1e-7, 123_456_789.123_456_79, 2.0],
        [std::f64::consts::PI, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300],
    ]
}

fn written(path: &Path, rows: &[[f64; 5]]) {
    let mut recorder = Recorder::new(columns());
    recorder.add_file(path).unwrap();
    for row in rows {
        recorder.push(row).unwrap();
    }
    recorder.finish().unwrap();
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn read_parquet(path: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names = schema.columns().iter().map(|c| c.name().to_owned()).collect();
    let rows = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            let row = row.unwrap();
            (0..row.len()).map(|i| row.get_double(i).unwrap()).collect()
        })
        .collect();
    (names, rows)
}

#[test]
fn csv_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.csv");
    written(&path, &rows());
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("t,x,x',p_x,\"odd, \"\"name\"\"\""));
    for expected in rows() {
        let read: Vec<f64> = lines.next().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
        assert_eq!(read.len(), 5);
        assert!(read.iter().zip(expected).all(|(a, b)| same(*a, b)), "{read:?}");
    }
    assert_eq!(lines.next(), None);
}

#[test]
fn json_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    written(&path, &rows());
    let text = std::fs::read_to_string(&path).unwrap();
    let read: serde_json::Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = read["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names, columns().names().collect::<Vec<_>>());
    for (i, expected) in rows().into_iter().enumerate() {
        for (j, x) in expected.into_iter().enumerate() {
            let value = &read["rows"][i][j];
            if x.is_finite() {
                assert!(same(value.as_f64().unwrap(), x), "{value} for {x}");
            } else {
                assert!(value.is_null());
            }
        }
    }
}

#[test]
fn parquet_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.parquet");
    written(&path, &rows());
    let (names, read) = read_parquet(&path);
    assert_eq!(names, columns().names().collect::<Vec<_>>());
    assert_eq!(read.len(), rows().len());
    for (read, expected) in read.iter().zip(rows()) {
        assert!(read.iter().zip(expected).all(|(a, b)| same(*a, b)), "{read:?}");
    }
}

#[test]
fn no_rows_are_a_readable_file_too() {
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        written(&folder.path().join(format!("none.{}", format.extension())), &[]);
    }
    let json = std::fs::read(folder.path().join("none.json")).unwrap();
    let read: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(read["rows"], serde_json::json!([]));
    assert_eq!(read_parquet(&folder.path().join("none.parquet")).1.len(), 0);
}

#[test]
fn a_run_that_stops_early_leaves_readable_files() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut recorder = Recorder::new(columns());
        for format in Format::ALL {
            let path = folder.path().join(format!("cut.{}", format.extension()));
            recorder.add_file(&path).unwrap();
        }
        recorder.push(&rows()[0]).unwrap();
        recorder.push(&rows()[1]).unwrap();
        // Dropped without finish, as when an error travels up.
    }
    let csv = std::fs::read_to_string(folder.path().join("cut.csv")).unwrap();
    assert_eq!(csv.lines().count(), 3);
    let json = std::fs::read(folder.path().join("cut.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 2);
    assert_eq!(read_parquet(&folder.path().join("cut.parquet")).1.len(), 2);
}

#[test]
fn parquet_streams_row_groups() {
    // Each row is 8 bytes a column: by 300 000 rows most must have left memory.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.parquet");
    let columns = Columns::new([Column::time(), Column::coordinate("x")]).unwrap();
    let mut sink = Format::of(&path).unwrap().create(&path, &columns).unwrap();
    for i in 0..300_000 {
        sink.write_row(&[f64::from(i), 0.5 * f64::from(i)]).unwrap();
    }
    // The file gets its name at the end.
    assert!(!path.exists());
    let on_its_way = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
    assert!(on_its_way.metadata().unwrap().len() > 16 * 200_000);
    sink.finish().unwrap();
    sink.finish().unwrap();
    let (_, rows) = read_parquet(&path);
    assert_eq!(rows.len(), 300_000);
    assert!(rows.iter().enumerate().all(|(i, row)| *row == [i as f64, 0.5 * i as f64]));
}

#[test]
fn every_nth_row_and_the_last() {
    let folder = tempfile::tempdir().unwrap();
    for (rows, kept) in [(11, "0,5,10"), (13, "0,5,10,12"), (1, "0"), (2, "0,1")] {
        let path = folder.path().join(format!("{rows}.csv"));
        let columns = Columns::new([Column::time(), Column::new("E", Role::Energy)]).unwrap();
        let mut recorder = Recorder::new(columns).every(5);
        recorder.add_file(&path).unwrap();
        for i in 0..rows {
            let spike = if i == 3 { 1.0 } else { 0.0 };
            recorder.push(&[f64::from(i), 2.0 + spike]).unwrap();
        }
        recorder.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let times: Vec<String> =
            text.lines().skip(1).map(|line| line.split_once(".0,").unwrap().0.to_owned()).collect();
        assert_eq!(times.join(","), kept);
        // The drift saw the row that the file did not.
        if rows > 3 {
            assert_eq!(recorder.drifts().next().unwrap().1.max_drift(), 1.0);
        }
    }
}

#[test]
fn wrong_rows_are_refused() {
    let mut recorder = Recorder::new(columns());
    let error = recorder.push(&[1.0]).unwrap_err();
    assert_eq!(error.to_string(), "a row has 1 numbers for 5 columns");
    assert_eq!(recorder.rows(), 0);
    recorder.finish().unwrap();
    assert!(matches!(recorder.push(&[0.0; 5]), Err(RecordError::Finished)));
}

#[test]
fn unknown_formats_and_missing_folders_are_named() {
    let mut recorder = Recorder::new(columns());
    for name in ["run", "run.txt", ".csv", "run.", "dir.csv/run"] {
        let error = recorder.add_file(name.as_ref()).unwrap_err();
        assert!(matches!(error, SinkError::Format(FormatError::Unknown { .. })), "{name}");
        assert!(error.to_string().contains(".csv, .json or .parquet"));
    }
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/folder/run.CSV");
    let error = recorder.add_file(&missing).unwrap_err();
    assert!(error.to_string().contains("no/such/folder/run.CSV"));
}

/// A disk that fills up after so many bytes.
struct FullDisk(usize);

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 < bytes.len() {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn one_full_disk_does_not_spoil_the_other_file() {
    let columns = Columns::new([Column::time()]).unwrap();
    let kept = Shared::default();
    let mut recorder = Recorder::new(columns.clone());
    let full = TextSink::new(FullDisk(10), &columns, &TextLayout::CSV).unwrap();
    recorder.add_sink("the full disk", Box::new(full));
    let other = TextSink::new(kept.clone(), &columns, &TextLayout::CSV).unwrap();
    recorder.add_sink("the other", Box::new(other));
    let errors =
        (0..10).filter_map(|i| recorder.push(&[f64::from(i)]).err()).map(|error| error.to_string()).collect::<Vec<_>>();
    recorder.finish().unwrap();
    // Said once, not at every row.
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("cannot write the full disk: "));
    assert_eq!(kept.0.lock().unwrap().iter().filter(|b| **b == b'\n').count(), 11);
}

#[test]
fn a_full_disk_is_reported_by_parquet() {
    let columns = Columns::new([Column::time()]).unwrap();
    let mut sink = ParquetSink::new(FullDisk(100), &columns).unwrap();
    for i in 0..1000 {
        sink.write_row(&[f64::from(i)]).unwrap();
    }
    let error = sink.finish().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn memory_does_not_grow_with_the_rows() {
    let columns = Columns::new([Column::time(), Column::coordinate("x")]).unwrap();
    let mut recorder = Recorder::new(columns);
    for i in 0..1_000_000 {
        let t = 1e-3 * f64::from(i);
        recorder.push(&[t, t.sin()]).unwrap();
    }
    assert_eq!(recorder.rows(), 1_000_000);
    let kept = recorder.series().rows().count();
    assert!(kept <= extremal_trajectory::Series::MAX_ROWS + 1);
}
