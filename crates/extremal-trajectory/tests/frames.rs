//! Files of frames: every value read back, and the same bytes however often the writer was killed.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use extremal_trajectory::ColumnsError;
use extremal_trajectory::FormatError;
use extremal_trajectory::frame::{Existing, Fields, Frame, FrameError, FrameFile};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

const FRAMES: usize = 4;

fn fields() -> Fields {
    Fields::new(["member"], ["x", "odd, \"name\""], ["status", "reason"]).unwrap()
}

fn identity() -> Vec<(String, String)> {
    [("step", "0.1"), ("model", "a\nlong one"), ("seed", "")].map(|(k, v)| (k.to_owned(), v.to_owned())).to_vec()
}

/// Frames of different lengths, one of them empty, with numbers whose digits are easily lost.
fn frame(number: usize) -> Frame {
    let mut frame = Frame::new(&fields());
    let rows = [3, 0, 100, 1][number];
    for row in 0..rows {
        let x = [f64::NAN, 0.1 + 0.2, -0.0, 5e-324][row % 4];
        let reason = (row % 3 == 1).then(|| format!("because \"{row}\",\nor not").into());
        frame.push(&[(1000 * number + row) as i64], &[x, row as f64 / 7.0], [Some("done".into()), reason]);
    }
    frame
}

fn note(number: usize) -> String {
    format!("frame {number}")
}

fn push(file: &mut FrameFile, numbers: std::ops::Range<usize>) {
    for number in numbers {
        file.push(&frame(number), note(number)).unwrap();
    }
}

/// A file with its first frames.
fn begun(path: &Path, frames: usize) -> FrameFile {
    let mut file = FrameFile::create(path, &fields(), &identity()).unwrap();
    push(&mut file, 0..frames);
    file
}

/// Writes the frames that are left.
fn finish(mut file: FrameFile, from: usize) {
    push(&mut file, from..FRAMES);
    file.finish().unwrap();
}

/// The bytes of a file that was written in one go.
fn whole(path: &Path) -> Vec<u8> {
    finish(begun(path, 0), 0);
    let bytes = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    bytes
}

type Row = (i64, f64, f64, Option<String>, Option<String>);

fn parquet_rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let text = |row: &parquet::record::Row, at: usize| match row.get_column_iter().nth(at).unwrap().1 {
        Field::Str(text) => Some(text.clone()),
        Field::Null => None,
        other => panic!("{other:?}"),
    };
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        let numbers = (row.get_double(1).unwrap(), row.get_double(2).unwrap());
        (row.get_long(0).unwrap(), numbers.0, numbers.1, text(&row, 3), text(&row, 4))
    });
    rows.collect()
}

#[test]
fn parquet_keeps_every_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    begun(&path, FRAMES).finish().unwrap();
    let rows = parquet_rows(&path);
    let mut at = 0;
    for number in 0..FRAMES {
        let expected = frame(number);
        for row in 0..expected.rows() {
            let (member, x, y, status, reason) = &rows[at];
            assert_eq!(*member, expected.integers(0)[row]);
            assert_eq!(x.to_bits(), expected.numbers(0)[row].to_bits());
            assert_eq!(y.to_bits(), expected.numbers(1)[row].to_bits());
            assert_eq!(status.as_deref(), expected.texts(0)[row].as_deref());
            assert_eq!(reason.as_deref(), expected.texts(1)[row].as_deref());
            at += 1;
        }
    }
    assert_eq!(at, rows.len());
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    // The frame without rows is no group.
    assert_eq!(reader.num_row_groups(), FRAMES - 1);
    assert_eq!(reader.metadata().file_metadata().num_rows(), rows.len() as i64);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the file itself is left");
}

#[test]
fn csv_has_empty_cells_and_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let text = String::from_utf8(whole(&path)).unwrap();
    assert!(text.starts_with("member,x,\"odd, \"\"name\"\"\",status,reason\n0,NaN,0.0,done,\n"), "{text}");
    assert!(text.contains("1,0.30000000000000004,0.14285714285714285,done,\"because \"\"1\"\",\nor not\"\n"));
}

/// A writer that is killed leaves its files as they are at that moment, perhaps with bytes of a frame that is not in the journal,
/// perhaps with half a line in the journal.
#[test]
fn killed_anywhere_and_resumed_the_file_is_the_same() {
    for name in ["t.parquet", "t.csv"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let expected = whole(&path);
        let part = folder.path().join(format!("{name}.part"));
        let journal = folder.path().join(format!("{name}.part.journal"));
        for done in 0..=FRAMES {
            for (lost_data, lost_journal) in [(0, 0), (1, 0), (0, 1), (40, 5)] {
                drop(begun(&path, done));
                for (file, lost) in [(&part, lost_data), (&journal, lost_journal)] {
                    let file = OpenOptions::new().write(true).open(file).unwrap();
                    let length = file.metadata().unwrap().len();
                    file.set_len(length.saturating_sub(lost)).unwrap();
                }
                if name.ends_with("parquet") {
                    parquet_rows(&path);
                }
                let resumed = FrameFile::resume(&path, &fields(), &identity()).unwrap();
                let kept = resumed.notes.len();
                assert_eq!(resumed.notes, (0..kept).map(note).collect::<Vec<_>>());
                assert!(kept <= done && (lost_data + lost_journal > 0 || kept == done), "{kept} of {done}");
                finish(resumed.file, kept);
                assert_eq!(fs::read(&path).unwrap(), expected, "{name}, {done} frames");
                fs::remove_file(&path).unwrap();
            }
        }
    }
}

#[test]
fn a_suspended_file_can_be_read_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let expected = whole(&path);
    begun(&path, 3).suspend().unwrap();
    assert_eq!(parquet_rows(&path).len(), 103);
    finish(FrameFile::resume(&path, &fields(), &identity()).unwrap().file, 3);
    assert_eq!(fs::read(&path).unwrap(), expected);
}

#[test]
fn what_would_lose_or_mix_work_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let begin = |identity: &[(String, String)]| FrameFile::create(&path, &fields(), identity);
    let mut file = begin(&identity()).unwrap();
    assert!(matches!(begin(&identity()), Err(FrameError::Busy { .. })));
    push(&mut file, 0..1);
    drop(file);
    assert!(matches!(begin(&identity()), Err(FrameError::Unfinished { .. })));
    for (at, value, message) in [
        (0, "0.2", "was begun with step 0.1, now it is 0.2:"),
        (1, "a\nlong two", "was begun with another model:"),
        (2, "7", "was begun with no seed, now it is 7:"),
    ] {
        let mut other = identity();
        other[at].1 = value.to_owned();
        let Err(error) = FrameFile::resume(&path, &fields(), &other) else { panic!("resumed with another {at}") };
        assert!(error.to_string().contains(message), "{error}");
    }
    let more = [identity(), vec![("tolerance".to_owned(), "1e-9".to_owned())]].concat();
    let Err(error) = FrameFile::resume(&path, &fields(), &more) else { panic!("resumed with one setting more") };
    assert!(error.to_string().contains("no tolerance, now it is 1e-9"), "{error}");
    FrameFile::resume(&path, &fields(), &identity()).unwrap().file.finish().unwrap();
    let again = FrameFile::resume(&path, &fields(), &identity());
    assert!(matches!(again, Err(FrameError::Finished { .. })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(matches!(
        FrameFile::create(&folder.path().join("t.json"), &fields(), &[]),
        Err(FrameError::Format(FormatError::Unknown { .. }))
    ));
    let twice = Fields::new(["a"], ["a"], Vec::<String>::new());
    assert_eq!(twice, Err(ColumnsError::Duplicate { name: "a".into() }));
}

/// The disk may lose what the journal has: a frame counts when its bytes are those that were written.
#[test]
fn a_frame_whose_bytes_changed_is_written_again() {
    for name in ["t.parquet", "t.csv"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let expected = whole(&path);
        let part = folder.path().join(format!("{name}.part"));
        for (done, back, kept) in [(3, 1, 2), (1, 1, 0)] {
            drop(begun(&path, done));
            let mut bytes = fs::read(&part).unwrap();
            let at = bytes.len() - back;
            bytes[at] ^= 1;
            fs::write(&part, bytes).unwrap();
            let resumed = FrameFile::resume(&path, &fields(), &identity()).unwrap();
            assert_eq!(resumed.notes, (0..kept).map(note).collect::<Vec<_>>());
            finish(resumed.file, kept);
            assert_eq!(fs::read(&path).unwrap(), expected, "{name}");
            fs::remove_file(&path).unwrap();
        }
    }
}

#[test]
fn what_stands_behind_the_last_whole_frame_is_cut_off() {
    for name in ["t.parquet", "t.csv"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let expected = whole(&path);
        drop(begun(&path, FRAMES));
        // More than the end of a file overwrites.
        let mut part = OpenOptions::new().append(true).open(folder.path().join(format!("{name}.part"))).unwrap();
        part.write_all(&[b'?'; 100_000]).unwrap();
        FrameFile::resume(&path, &fields(), &identity()).unwrap().file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), expected, "{name}");
    }
}

#[test]
fn unfinished_work_that_is_gone_is_not_called_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let expected = whole(&path);
    begun(&path, 2).suspend().unwrap();
    let so_far = fs::read(&path).unwrap();
    fs::remove_file(folder.path().join("t.csv.part")).unwrap();
    for _ in 0..2 {
        let again = FrameFile::resume(&path, &fields(), &identity());
        assert!(matches!(again, Err(FrameError::Lost { pieces: 2, .. })), "{:?}", again.err());
        assert!(matches!(FrameFile::create(&path, &fields(), &identity()), Err(FrameError::Exists { .. })));
    }
    assert_eq!(fs::read(&path).unwrap(), so_far, "what is there stays");
    finish(FrameFile::open(&path, &fields(), &identity(), Existing::Replace).unwrap().file, 0);
    assert_eq!(fs::read(&path).unwrap(), expected);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn killed_after_the_file_got_its_name_there_is_nothing_to_resume() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let journal = folder.path().join("t.csv.part.journal");
    let file = begun(&path, FRAMES);
    let lines = fs::read_to_string(&journal).unwrap();
    file.finish().unwrap();
    fs::write(&journal, lines + "{\"finished\":true}\n").unwrap();
    let again = FrameFile::resume(&path, &fields(), &identity());
    assert!(matches!(again, Err(FrameError::Finished { .. })), "{:?}", again.err());
    assert!(!journal.exists());
}

#[test]
fn a_copy_that_cannot_be_made_does_not_end_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let expected = whole(&path);
    // A file of the user, and a folder where the copy would be: like a full disk, it refuses every one.
    fs::write(folder.path().join("t.csv.copy"), "mine").unwrap();
    let mut file = FrameFile::create(&path, &fields(), &identity()).unwrap();
    fs::create_dir(folder.path().join("t.csv.part.copy")).unwrap();
    push(&mut file, 0..1);
    // A copy is made not more often than once in a second.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    finish(file, 1);
    assert_eq!(fs::read(&path).unwrap(), expected);
    assert_eq!(fs::read_to_string(folder.path().join("t.csv.copy")).unwrap(), "mine");
}
