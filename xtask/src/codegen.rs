//! `cargo xtask codegen`: generates the client of a catalogue.

use std::path::{Path, PathBuf};

use catalogue::{Api, CountTable};
use clap::Args;
use codegen::{ChangeKind, File, FileChange, Folder, Mode, Report};

use crate::catalogue_errors::not_written;
use crate::crate_folder::CrateFolder;
use crate::project_paths::{self, shown, word};
use crate::stale_names::{self, StaleName};
use crate::terminal::{CommandResult, print, print_error};

/// Generate the client from the catalogue
#[derive(Args)]
pub(crate) struct Codegen {
    /// Write nothing; list every file that differs from the output, and fail if any file differs
    #[arg(long)]
    check: bool,
    /// The catalogue
    #[arg(long, value_name = "DIR", default_value_os_t = project_paths::spec())]
    spec: PathBuf,
    /// The folder of the crate to emit; a new crate gets a manifest and a `lib.rs`. Required unless the catalogue is
    /// this project's
    #[arg(long, value_name = "CRATE")]
    out: Option<PathBuf>,
    /// Also write a crate with the client's command line, in the folder `cli` of the crate
    #[arg(long, requires = "out")]
    cli: bool,
}

impl Codegen {
    pub(crate) fn run(&self) -> CommandResult {
        let mode = if self.check { Mode::Check } else { Mode::Write };
        let crate_folder = self.crate_folder()?;
        let generated = generate(&self.spec, &crate_folder, mode, self.cli)?;
        let differing: Vec<_> = generated.folders.iter().filter(|folder| !folder.report.is_clean()).collect();
        let has_foreign = differing.iter().any(|folder| folder.report.has_foreign());
        if has_foreign || (self.check && !differing.is_empty()) {
            return Err(self.differences(&differing, has_foreign));
        }
        let mut text = format!("{}\n", generated.summary);
        let root = shown(&crate_folder.folder);
        for file in &generated.created {
            text += &format!("{root}: wrote {}, which you may edit\n", file.path);
        }
        for folder in &generated.folders {
            text += &folder.text();
        }
        print(&text);
        if generated.warnings > 0 {
            print_error(&format!("{}\n", style_warnings(generated.warnings, &self.spec)));
        }
        if !generated.stale.is_empty() {
            let stale = stale_names::text(&generated.stale, "warning");
            let help = "help: `cargo check --workspace --all-targets --keep-going` lists all errors";
            print_error(&format!("{stale}{help}\n"));
        }
        Ok(())
    }

    /// The folder of the crate to emit. Without `--out`, it is this project's client for this project's catalogue, and
    /// for another catalogue the emitted crate that contains it.
    fn crate_folder(&self) -> Result<CrateFolder, String> {
        if let Some(out) = &self.out {
            return CrateFolder::at(out, self.cli);
        }
        if project_paths::is_same(&self.spec, &project_paths::own_spec()) {
            return Ok(CrateFolder::ours());
        }
        if let Some(folder) = CrateFolder::around(&self.spec) {
            return CrateFolder::at(folder, self.cli);
        }
        let spec = shown(&self.spec);
        let generated = shown(&project_paths::client());
        Err(format!(
            "error: {spec} is not the catalogue of the client in {generated}; name the crate to generate: `{} --out CRATE`\n",
            command(&self.spec, None)
        ))
    }

    /// The error about differing files: the files, their number, and how to fix them.
    fn differences(&self, differing: &[&FolderReport], has_foreign: bool) -> String {
        let mut files = String::new();
        let mut counts = Vec::new();
        let mut foreign_owner = None;
        for FolderReport { root, report } in differing {
            let root = shown(root);
            files += &format!("in {root}:\n{report}");
            counts.push(match report.changes.len() {
                1 => format!("1 file in {root}"),
                count => format!("{count} files in {root}"),
            });
            if let (None, Some(owner)) = (&foreign_owner, report.other_owner()) {
                foreign_owner = Some(format!("{root} has files of `{owner}`"));
            }
        }
        let command = command(&self.spec, self.out.as_deref());
        let remedy = match foreign_owner {
            Some(owner) => format!("; {owner}: name another folder with `--out`, or delete the old files"),
            None if has_foreign => {
                format!(" out of date or foreign; move the foreign files away, then run `{command}`")
            }
            None => format!(" out of date; run `{command}` and commit the result"),
        };
        format!("{files}\nerror: {}{remedy}\n", counts.join(", "))
    }
}

/// The command that updates the files of a catalogue's crate; `out` is `None` for this project's client.
pub(crate) fn command(spec: &Path, out: Option<&Path>) -> String {
    let mut command = format!("cargo xtask codegen{}", spec_option(spec));
    if let Some(out) = out {
        command += &format!(" --out {}", word(out));
    }
    command
}

/// The option that names a catalogue, unless it is the default.
fn spec_option(spec: &Path) -> String {
    if project_paths::is_same(spec, &project_paths::spec()) {
        return String::new();
    }
    format!(" --spec {}", word(spec))
}

/// One line about warnings, with the command that prints them.
fn style_warnings(count: usize, spec: &Path) -> String {
    let noun = if count == 1 { "warning" } else { "warnings" };
    let command = format!("cargo xtask check{}", spec_option(spec));
    format!("warning: {count} {noun} about the style of the catalogue; `{command}` prints them")
}

/// The report about an emitted folder.
struct FolderReport {
    root: PathBuf,
    report: Report,
}

impl FolderReport {
    fn text(&self) -> String {
        let root = shown(&self.root);
        if self.report.is_clean() {
            return format!("{root}: up to date\n");
        }
        let changes = &self.report.changes;
        let mut text = format!("{root}: {} changed, {} unchanged\n", changes.len(), self.report.unchanged);
        for FileChange { path, kind } in changes {
            let verb = match kind {
                ChangeKind::Missing => "wrote new",
                ChangeKind::Drifted(_) => "rewrote",
                ChangeKind::Stale => "removed stale",
                ChangeKind::Foreign(_) => "foreign, unchanged",
            };
            text += &format!("  {verb} {path}\n");
        }
        text
    }
}

/// The result of `generate`.
struct Generated {
    summary: CountTable,
    folders: Vec<FolderReport>,
    /// The files that are written only once and did not exist yet.
    created: Vec<File>,
    /// The number of warnings about the style of the catalogue.
    warnings: usize,
    /// The names in pages and programs that the emitted client does not have.
    stale: Vec<StaleName>,
}

/// Reads a catalogue, and writes the emitted files to the folder of a crate. For our own catalogue, also writes the
/// JSON Schema for editors. An error is text for the user.
fn generate(spec: &Path, crate_folder: &CrateFolder, mode: Mode, has_cli: bool) -> Result<Generated, String> {
    let api = catalogue::read(spec).map_err(|errors| not_written(&errors, spec))?;
    let is_ours = project_paths::is_same(spec, &project_paths::own_spec());
    let folders = emitted_folders(&api, spec, crate_folder, is_ours);
    let mut stale = Vec::new();
    if is_ours {
        stale = stale_names::find(project_paths::root(), &api, &folders[0].files);
    }
    let mut created = Vec::new();
    if mode == Mode::Write {
        created = crate_folder.missing(&api, has_cli);
    }
    let mut others = Vec::new();
    for file in &created {
        others.push((crate_folder.path(file), file.text.clone()));
    }
    let mut readme_change = None;
    if is_ours && let Some((path, text, change)) = codegen::readme_tables(spec) {
        others.push((path, text));
        readme_change = Some(change);
    }
    let summary = catalogue::endpoint_counts(&api);
    let warnings = api.warnings.as_slice().len();
    // The model of a large catalogue takes more memory than the files.
    drop(api);
    let mut reports = codegen::write(&folders, others, mode).map_err(|error| format!("error: {error}\n"))?;
    if let Some(report) = reports.last_mut() {
        report.changes.extend(readme_change);
    }
    let mut folder_reports = Vec::new();
    for (folder, report) in folders.into_iter().zip(reports) {
        folder_reports.push(FolderReport { root: folder.root, report });
    }
    Ok(Generated { summary, folders: folder_reports, created, warnings, stale })
}

/// The emitted folders, that of the Rust files first.
fn emitted_folders(api: &Api, spec: &Path, crate_folder: &CrateFolder, is_ours: bool) -> Vec<Folder> {
    let package = &crate_folder.package;
    let mut folders = vec![
        crate_folder.owned(crate_folder.generated(), codegen::emit(api, package)),
        crate_folder.owned(crate_folder.docs.clone(), codegen::documents(api, package)),
    ];
    if is_ours {
        folders.push(crate_folder.owned(project_paths::python_types(), codegen::python(api)));
        let files = vec![codegen::catalogue_schema()];
        folders.push(Folder { root: spec.to_owned(), package: None, is_shared: true, files });
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the committed files match the catalogues, as `cargo xtask codegen --check` does.
    #[test]
    fn committed_files_equal_the_output() {
        assert_up_to_date(&project_paths::own_spec(), &CrateFolder::ours(), "");
        for example in ["examples/futures-data", "examples/macro-data"] {
            let path = project_paths::root().join(example);
            let folder = CrateFolder::at(&path, false).unwrap_or_else(|why| panic!("{why}"));
            assert_up_to_date(&path.join("spec"), &folder, &format!(" --spec {example}/spec --out {example}"));
        }
    }

    fn assert_up_to_date(spec: &Path, folder: &CrateFolder, options: &str) {
        let folders = generate(spec, folder, Mode::Check, false).unwrap_or_else(|why| panic!("{why}")).folders;
        let differing: String = folders.iter().map(|folder| folder.report.to_string()).collect();
        assert_eq!(differing, "", "run `cargo xtask codegen{options}` and commit the result");
    }
}
