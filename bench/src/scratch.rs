//! The folder `target/bench`, in which the benchmarks generate and build everything.
//!
//! Four workspaces are copied there, each with a lock file: `generators` (the generators of peers), `programs`
//! (programs that need no peer), `peers` (programs that use a peer) and `history` (a program that uses the client that
//! progenitor generates for our own service). Each workspace is prepared when a row first needs it.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, output};

/// The number of endpoints in the synthetic catalogue, including the three whose bodies the rows about decoding use.
pub(crate) const ENDPOINTS: usize = 130;

/// The scratch folder, and the programs and workspaces that are already prepared in it.
pub(crate) struct Scratch {
    pub(crate) rounds: usize,
    pub(crate) project: PathBuf,
    project_target: PathBuf,
    root: PathBuf,
    xtask: OnceCell<PathBuf>,
    ours: OnceCell<PathBuf>,
    generators: OnceCell<PathBuf>,
    peers: OnceCell<PathBuf>,
    history: OnceCell<PathBuf>,
}

/// Runs a function and stores its result. If a result is already stored, the function is not run. A failure is not
/// stored.
fn once(cell: &OnceCell<PathBuf>, make: impl FnOnce() -> Result<PathBuf, String>) -> Result<&Path, String> {
    if let Some(path) = cell.get() {
        return Ok(path);
    }
    let path = make()?;
    Ok(cell.get_or_init(|| path))
}

impl Scratch {
    pub(crate) fn new(rounds: usize) -> Result<Self, String> {
        // Checkouts that share a target folder also share this program, and `env!` contains the path of the checkout
        // that was built. Therefore, the variable is read at run time.
        let bench = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let project = Path::new(&bench).join("..");
        let project = project.canonicalize().map_err(|error| format!("cannot find the project: {error}"))?;
        let set = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let project_target = set.unwrap_or_else(|| project.join("target"));
        let root = project_target.join("bench");
        fs::create_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        Ok(Self {
            rounds,
            project,
            project_target,
            root,
            xtask: OnceCell::new(),
            ours: OnceCell::new(),
            generators: OnceCell::new(),
            peers: OnceCell::new(),
            history: OnceCell::new(),
        })
    }

    /// The project's folder `bench`.
    pub(crate) fn own(&self) -> PathBuf {
        self.project.join("bench")
    }

    /// The folder that contains the target folders of all workspaces. Later rounds and runs reuse them.
    pub(crate) fn target(&self) -> PathBuf {
        self.root.join("build")
    }

    /// Creates an empty folder, and removes what an earlier run left in it.
    pub(crate) fn empty_folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.root.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Generates a catalogue with this number of endpoints, each with its own record. Unless the number is 0, three of
    /// the endpoints are from `catalogue/decoding.yaml`; the measurements of the decoder use these three.
    pub(crate) fn catalogue(&self, endpoints: usize) -> Result<PathBuf, String> {
        let folder = self.root.join(format!("catalogue-{endpoints}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        if endpoints == 0 {
            copy(&self.project.join("codegen/tests/cases/service.yaml"), &folder.join("service.yaml"))?;
            return Ok(folder);
        }
        let count = (endpoints - 3).to_string();
        let mut command = cargo(&self.project, &self.project_target, &["run", "--package", "codegen"]);
        command.args(["--example", "synthetic_catalogue", "--", &count]).arg(&folder);
        output(&mut command)?;
        copy(&self.own().join("catalogue/decoding.yaml"), &folder.join("decoding.yaml"))?;
        Ok(folder)
    }

    /// Builds the project's `xtask` in the project's own target folder.
    pub(crate) fn xtask(&self) -> Result<&Path, String> {
        once(&self.xtask, || {
            output(&mut cargo(&self.project, &self.project_target, &["build", "--package", "xtask"]))?;
            Ok(self.project_target.join("debug/xtask"))
        })
    }

    /// Builds the project's `xtask` as a release build, for measurements.
    pub(crate) fn released_xtask(&self) -> Result<PathBuf, String> {
        output(&mut cargo(&self.project, &self.target(), &["build", "--release", "--package", "xtask"]))?;
        Ok(self.target().join("release/xtask"))
    }

    /// The workspace without peers: the clients `ours`, `ours-empty` and `ours-spec`, and the programs that use a client.
    pub(crate) fn ours(&self) -> Result<&Path, String> {
        once(&self.ours, || {
            let folder = self.workspace("programs")?;
            self.client("ours", &self.catalogue(ENDPOINTS)?, &folder)?;
            self.client("ours-empty", &self.catalogue(0)?, &folder)?;
            // A copy, because the catalogue of the project also has files for Python that belong to its own client.
            let spec = self.root.join("catalogue-spec");
            copy(&self.project.join("spec"), &spec)?;
            self.client("ours-spec", &spec, &folder)?;
            self.client("ours-notations", &self.own().join("notations"), &folder)?;
            self.use_project(&folder.join("backfill/Cargo.toml"))?;
            let calls = (0..ENDPOINTS - 3).map(|index| {
                let group = index % 13;
                format!(
                    "client.group_{group}().metric_{index}().coin(\"BTC\").limit(50).await.expect(\"an answer\").len()"
                )
            });
            let client = "generated_client::Client::builder(url).api_key(\"key\").build().expect(\"a client\")";
            Self::caller("all-ours", "generated-client = { path = \"../ours\" }", client, calls, &folder)?;
            Ok(folder)
        })
    }

    /// The workspace of the peers' generators.
    pub(crate) fn generators(&self) -> Result<&Path, String> {
        once(&self.generators, || self.workspace("generators"))
    }

    /// Installs progenitor's command with `cargo install`, as its users do.
    pub(crate) fn cargo_progenitor(&self) -> Result<PathBuf, String> {
        let (root, target) = (self.root.join("tools"), self.target().join("tools"));
        let mut command = cargo(&self.project, &target, &["install", "--locked", "cargo-progenitor"]);
        output(command.args(["--version", "=0.15.1", "--root"]).arg(&root))?;
        Ok(root.join("bin/cargo-progenitor"))
    }

    /// The workspace with peers: progenitor's client, and programs that use it or `reqwest`.
    pub(crate) fn peers(&self) -> Result<&Path, String> {
        once(&self.peers, || {
            let folder = self.workspace("peers")?;
            self.progenitor(&self.catalogue(ENDPOINTS)?, &folder.join("client"))?;
            let calls = (0..ENDPOINTS - 3).map(|index| {
                let group = index % 13;
                format!(
                    "client.group_{group}_metric_{index}(Some(\"BTC\"), None, Some(50), None).await.expect(\"an answer\").data.len()"
                )
            });
            let client = "progenitor_made::Client::new(&url)";
            Self::caller("all-progenitor", "progenitor-made = { path = \"../client\" }", client, calls, &folder)?;
            Ok(folder)
        })
    }

    /// The workspace of the program that uses progenitor's client for our service.
    pub(crate) fn history(&self) -> Result<&Path, String> {
        once(&self.history, || {
            let folder = self.workspace("history")?;
            self.progenitor(&self.project.join("spec"), &folder.join("made"))?;
            Ok(folder)
        })
    }

    /// Builds the program that fetches a year of records from the sandbox.
    pub(crate) fn year(&self) -> Result<PathBuf, String> {
        let arguments = ["build", "--release", "--package", "generated-client-sandbox", "--example", "year"];
        output(&mut cargo(&self.project, &self.target(), &arguments))?;
        Ok(self.target().join("release/examples/year"))
    }

    /// Generates the client of a catalogue with progenitor.
    pub(crate) fn progenitor(&self, catalogue: &Path, client: &Path) -> Result<(), String> {
        let description = self.description_of(catalogue)?;
        let generator = self.build(self.generators()?, "generate-with-progenitor")?;
        fs::create_dir_all(client.join("src")).map_err(|error| error.to_string())?;
        output(Command::new(generator).arg(description).arg(client.join("src/lib.rs"))).map(drop)
    }

    /// The `OpenAPI` description of the synthetic catalogue, which the peers' generators read.
    pub(crate) fn description(&self) -> Result<PathBuf, String> {
        self.description_of(&self.catalogue(ENDPOINTS)?)
    }

    fn description_of(&self, catalogue: &Path) -> Result<PathBuf, String> {
        let mut command = Command::new(self.xtask()?);
        command.args(["openapi", "--version", "3.0", "--spec"]).arg(catalogue);
        let path = self.root.join("openapi.json");
        fs::write(&path, output(&mut command)?.0).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Builds one program of a workspace in release mode. The program is built alone, because other programs in the
    /// same build could enable additional features of the shared dependencies.
    pub(crate) fn build(&self, workspace: &Path, program: &str) -> Result<PathBuf, String> {
        let target = self.target().join(workspace.file_name().unwrap_or_default());
        output(&mut cargo(workspace, &target, &["build", "--release", "--package", program]))?;
        self.keep_lock(workspace)?;
        Ok(target.join("release").join(program))
    }

    /// Copies a workspace. Unchanged files are not written, so that Cargo does not rebuild their packages.
    fn workspace(&self, name: &str) -> Result<PathBuf, String> {
        let (from, to) = (self.own().join(name), self.root.join(name));
        copy(&from, &to)?;
        let root = fs::read_to_string(self.project.join("Cargo.toml")).map_err(|error| error.to_string())?;
        let members = |line: &str| if line.starts_with("members = ") { "members = [\"*\"]" } else { line }.to_owned();
        let lines = root.lines().filter(|line| !line.starts_with("exclude = ")).map(members);
        // Debug symbols are stripped from programs, as in a usual release. All other settings are Cargo's defaults.
        let profile = "\n[profile.release]\nstrip = true\n".to_owned();
        write(&to.join("Cargo.toml"), &(lines.collect::<Vec<_>>().join("\n") + &profile))?;
        Ok(to)
    }

    /// Copies the lock file of a workspace back into the project, so that the next run uses the same versions.
    fn keep_lock(&self, workspace: &Path) -> Result<(), String> {
        let name = workspace.file_name().unwrap_or_default();
        copy(&workspace.join("Cargo.lock"), &self.own().join(name).join("Cargo.lock"))
    }

    /// Replaces `PROJECT` in a copied manifest by the path of the project.
    fn use_project(&self, manifest: &Path) -> Result<(), String> {
        let text = fs::read_to_string(manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
        write(manifest, &text.replace("PROJECT", &self.project.display().to_string()))
    }

    /// Generates the client of a catalogue, as a package in the workspace.
    pub(crate) fn client(&self, name: &str, catalogue: &Path, workspace: &Path) -> Result<(), String> {
        let folder = workspace.join(name);
        let package = if name == "ours" { "generated-client" } else { name };
        let runtime = self.project.join("crates/runtime").display().to_string();
        // Unlike the project's own manifest, this manifest has no tests and no dependencies that only tests need.
        let manifest = format!(
            "[package]\nname = \"{package}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [features]\ndefault = [\"gzip\"]\ngzip = [\"runtime/gzip\"]\nsettings = [\"runtime/settings\"]\n\n[dependencies]\n\
             runtime = {{ package = \"generated-client-runtime\", path = '{runtime}' }}\n"
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        let mut command = Command::new(self.xtask()?);
        command.args(["codegen", "--spec"]).arg(catalogue).arg("--out").arg(folder);
        output(&mut command).map(drop)
    }

    /// Writes a program that calls every endpoint.
    fn caller(
        name: &str,
        dependency: &str,
        client: &str,
        calls: impl Iterator<Item = String>,
        workspace: &Path,
    ) -> Result<(), String> {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n\
             tokio = {{ version = \"1\", features = [\"rt\"] }}\n"
        );
        let calls: Vec<_> = calls.map(|call| format!("    records += {call};\n")).collect();
        let program = format!(
            "fn main() {{\n    let url = std::env::args().nth(1).expect(\"a URL\");\n    \
             let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect(\"a runtime\");\n    \
             println!(\"{{}}\", runtime.block_on(all(url)));\n}}\n\n\
             async fn all(url: String) -> usize {{\n    let client = {client};\n    let mut records = 0;\n{}    records\n}}\n",
            calls.concat()
        );
        write(&workspace.join(name).join("Cargo.toml"), &manifest)?;
        write(&workspace.join(name).join("src/main.rs"), &program)
    }
}

/// Sets the modification time of a file to now, so that Cargo builds its package again.
pub(crate) fn touch(path: &Path) -> Result<(), String> {
    let file = fs::File::options().append(true).open(path);
    let touched = file.and_then(|file| file.set_modified(std::time::SystemTime::now()));
    touched.map_err(|error| format!("{}: {error}", path.display()))
}

/// The paths in a folder.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_dir() {
        for entry in entries(from)? {
            copy(&entry, &to.join(entry.file_name().unwrap_or_default()))?;
        }
        return Ok(());
    }
    let text = fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))?;
    write(to, &text)
}

/// Writes a file if its content differs, so that Cargo does not rebuild unchanged crates.
fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("{}: {error}", path.display()))
}
