//! The folder of an emitted crate: the places of its emitted files, and the files that are written into it once.
//!
//! Our own client keeps its documents at the project's root; any other crate has all of its files in its folder. A
//! manifest or a `lib.rs` that is there is its owner's and stays as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codegen::{Api, File, Package};

use crate::paths;

/// The folder of an emitted crate.
pub(crate) struct CrateFolder {
    folder: PathBuf,
    docs: PathBuf,
    pub(crate) package: Package,
}

impl CrateFolder {
    /// Our own client.
    pub(crate) fn ours() -> Self {
        let package = Package { name: "generated-client".to_owned(), docs: "../../../docs".to_owned() };
        Self { folder: paths::client(), docs: paths::docs(), package }
    }

    /// The crate in a folder; a folder without a manifest gets a crate of its own name, if there can be one.
    pub(crate) fn at(folder: &Path) -> Result<Self, String> {
        if paths::is_same(folder, &paths::client()) {
            return Ok(Self::ours());
        }
        let package = Package::new(paths::package(folder));
        if !package.can_be_named() {
            let remedy = "name the folder otherwise, or write another name into its `Cargo.toml`";
            return Err(format!(
                "error: an emitted crate cannot be called `{}`, which is no Rust name, a keyword, or a crate that it depends on; \
                 {remedy}\n",
                package.name
            ));
        }
        Ok(Self { folder: folder.to_owned(), docs: folder.join("docs"), package })
    }

    /// Where the emitted Rust files stand, which the generator owns.
    pub(crate) fn generated(&self) -> PathBuf {
        self.folder.join("src/generated")
    }

    /// Where the emitted documents stand, which the generator owns too.
    pub(crate) fn docs(&self) -> PathBuf {
        self.docs.clone()
    }

    /// The files that a crate needs beside its emitted ones, as far as it has none.
    pub(crate) fn missing(&self, api: &Api) -> Vec<File> {
        let runtime = relative(&self.folder, &paths::root().join("runtime"));
        let files = codegen::scaffold(api, &self.package, &runtime.display().to_string());
        files.into_iter().filter(|file| !self.folder.join(&file.path).exists()).collect()
    }

    /// Writes such files.
    pub(crate) fn complete(&self, missing: &[File]) -> io::Result<()> {
        missing.iter().try_for_each(|file| {
            let path = self.folder.join(&file.path);
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            fs::write(path, &file.text)
        })
    }

    /// The folder itself, as a person would write it.
    pub(crate) fn shown(&self) -> String {
        paths::shown(&self.folder)
    }
}

/// The path from one folder to another; absolute if they have no folder in common.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize().unwrap_or(path)
    };
    let (from, to) = (absolute(from), absolute(to));
    let common = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    // If only the root is in common, an absolute path still leads there when one of the two is moved.
    if common < 2 {
        return to;
    }
    let up = from.components().skip(common).map(|_| "..");
    up.map(PathBuf::from).chain(to.components().skip(common).map(|part| PathBuf::from(part.as_os_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_from_one_folder_to_another() {
        let table = [
            ("/home/me/tides", "/home/me/project/runtime", "../project/runtime"),
            ("/home/me/project/tides", "/home/me/project/runtime", "../runtime"),
            ("/home/me/a/b", "/home/me/runtime", "../../runtime"),
            ("/srv/tides", "/home/me/runtime", "/home/me/runtime"),
        ];
        for (from, to, expected) in table {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(expected), "{from}");
        }
    }
}
