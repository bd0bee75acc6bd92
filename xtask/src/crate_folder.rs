//! The folder of an emitted crate: the paths of its emitted files, and the files that are written only once.
//!
//! The documents of our own client are at the project's root; any other crate has all files in its own folder. An
//! existing manifest or `lib.rs` belongs to the user and is never changed.

use std::fs;
use std::path::{Component, Path, PathBuf};

use catalogue::Api;
use codegen::{File, Folder, Package, Program};

use crate::project_paths;

/// The folder of an emitted crate.
pub(crate) struct CrateFolder {
    pub(crate) folder: PathBuf,
    /// The folder of the emitted documents. The generator owns this folder.
    pub(crate) docs: PathBuf,
    pub(crate) package: Package,
}

impl CrateFolder {
    /// The folder of our own client.
    pub(crate) fn ours() -> Self {
        let program = Program { name: "derivs".to_owned(), has_python_module: true };
        let name = "generated-client".to_owned();
        let package = Package { name, docs: "../../../docs".to_owned(), program: Some(program) };
        Self { folder: project_paths::client(), docs: project_paths::docs(), package }
    }

    /// The crate in a folder, which has a command line or gets one. Without a manifest, the crate gets the name of the
    /// folder; an invalid name is an error.
    pub(crate) fn at(folder: &Path, gets_cli: bool) -> Result<Self, String> {
        if project_paths::is_same(folder, &project_paths::client()) {
            return Ok(Self::ours());
        }
        if let Some(why) = foreign(folder) {
            return Err(format!("error: {} {why}; name another folder with `--out`\n", folder.display()));
        }
        let mut package = Package::new(project_paths::package(folder));
        if gets_cli || folder.join("cli/Cargo.toml").is_file() {
            package.program = Some(Program { name: package.name.clone(), has_python_module: false });
        }
        if !package.can_be_named() {
            let remedy = "rename the folder, or set another name in its `Cargo.toml`";
            return Err(format!(
                "error: `{}` is not valid as the name of an emitted crate (expected a Rust name that is neither a keyword nor a dependency); \
                 {remedy}\n",
                package.name
            ));
        }
        Ok(Self { folder: folder.to_owned(), docs: folder.join("docs"), package })
    }

    /// The folder of the emitted crate that contains a catalogue; `None` if the folder above the catalogue has no
    /// emitted files.
    pub(crate) fn around(spec: &Path) -> Option<&Path> {
        let folder = spec.parent()?;
        if folder.join("src/generated").is_dir() { Some(folder) } else { None }
    }

    /// The folder of the emitted Rust files. The generator owns this folder.
    pub(crate) fn generated(&self) -> PathBuf {
        self.folder.join("src/generated")
    }

    /// The files that are written only once and do not exist yet, such as the manifest; `has_cli` adds those of the
    /// command line.
    pub(crate) fn missing(&self, api: &Api, has_cli: bool) -> Vec<File> {
        let project = relative(&self.folder, project_paths::root()).display().to_string();
        let mut files = codegen::scaffold(api, &self.package, &project);
        if has_cli {
            files.extend(codegen::scaffold_cli(api, &self.package, &project));
        }
        files.retain(|file| !self.path(file).exists());
        files
    }

    /// A folder with emitted files that the generator owns.
    pub(crate) fn owned(&self, root: PathBuf, files: Vec<File>) -> Folder {
        Folder { root, package: Some(self.package.name.clone()), is_shared: false, files }
    }

    pub(crate) fn path(&self, file: &File) -> PathBuf {
        self.folder.join(&file.path)
    }
}

/// The reason why a folder cannot get the emitted files: it is part of a catalogue, or it is another crate. Returns
/// `None` if the folder can get the files.
fn foreign(folder: &Path) -> Option<&'static str> {
    for folder in absolute(folder).ancestors().take(2) {
        if folder.join("service.yaml").is_file() {
            return Some("is part of a catalogue");
        }
    }
    let library = folder.join("src/lib.rs");
    if !library.is_file() && !folder.join("src/main.rs").is_file() {
        return None;
    }
    let library = fs::read_to_string(library).unwrap_or_default();
    if library.contains("mod generated;") { None } else { Some("is a crate without `mod generated;` in `src/lib.rs`") }
}

/// The absolute path of a folder without symbolic links and `..`. The folder itself may not exist yet: its nearest
/// existing ancestor is resolved, and the rest is appended.
fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(existing) = path.canonicalize() {
        return existing;
    }
    let Some(parent) = path.parent() else { return path };
    let mut resolved = absolute(parent);
    match path.components().next_back() {
        Some(Component::ParentDir) => drop(resolved.pop()),
        Some(last) => resolved.push(last),
        None => {}
    }
    resolved
}

/// The path from one folder to another. The path is absolute if the folders have no common folder except the root.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let from = absolute(from);
    let to = absolute(to);
    let mut common = 0;
    for (one, other) in from.components().zip(to.components()) {
        if one != other {
            break;
        }
        common += 1;
    }
    // Without a common folder, an absolute path is better, because it stays correct if the crate is moved.
    if common < 2 {
        return to;
    }
    let mut path = PathBuf::new();
    for _ in from.components().skip(common) {
        path.push("..");
    }
    for part in to.components().skip(common) {
        path.push(part);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_path_between_two_folders() {
        let table = [
            ("/home/me/tides", "/home/me/project/runtime", "../project/runtime"),
            ("/home/me/project/tides", "/home/me/project/runtime", "../runtime"),
            ("/home/me/a/b", "/home/me/runtime", "../../runtime"),
            ("/srv/tides", "/home/me/runtime", "/home/me/runtime"),
            ("/home/me/project/../tides", "/home/me/project/runtime", "../project/runtime"),
            ("/home/me/project/./a/../../tides/./", "/home/me/project/runtime", "../project/runtime"),
            ("/home/../home/me/project/tides", "/home/me/project/runtime", "../runtime"),
        ];
        for (from, to, expected) in table {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(expected), "{from}");
        }
    }
}
