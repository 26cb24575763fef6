//! Lists the models of the gallery folder, so that a new file there is in the gallery.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", fs::canonicalize(&path)?);
    }
    list.push(']');
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("gallery.rs");
    fs::write(target, list)
}
