//! A shared state in a locked file, for the processes of one user on one machine.
//!
//! The file belongs to the current boot: times are on the clock since the boot, which counts suspended time and is never
//! set, and no request before the boot still counts. So a missing file means that nothing has been sent. A process that
//! has the file open when it is deleted creates it again.
//!
//! The lock is held only for an exchange, which takes microseconds. Nothing is flushed to the disk, because the content
//! is of no use after a crash of the machine.

mod private_file;

mod boot;
mod process_file;
mod state_file;

mod boot_folder;

mod identity;

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;
use tokio::time::Instant;

use crate::failure::Failure;
use crate::state_store::{Offer, Response, StateStore};
use boot_folder::BootFolder;
pub(crate) use identity::Identity;
use process_file::ProcessFile;
use state_file::{Content, StateFile};

/// Maximum wait for another process that holds a lock.
const PATIENCE: Duration = Duration::from_secs(1);

/// The first waits for a lock block the thread, because a timer has a resolution of a millisecond.
const SHORT_WAIT: Duration = Duration::from_micros(50);
const SHORT_WAITS: u32 = 10;
const LONG_WAIT: Duration = Duration::from_millis(2);

/// The name of the run, since a file has only one.
const RUN: &str = "file";

pub(crate) struct FileStore {
    /// The folder with the folders of all boots; `None` if its path is unknown.
    folder: Option<PathBuf>,
    identity: Identity,
    process: String,
    files: Mutex<Option<Files>>,
}

/// The open files.
struct Files {
    folder: BootFolder,
    /// The part of the file names that is specific to the identity.
    stem: String,
    state: StateFile,
    process: ProcessFile,
}

/// The folder with the folders of all boots. Its name contains the user, because `sudo` may keep the environment of another
/// user.
pub(crate) fn default_folder() -> Option<PathBuf> {
    let state = match absolute_path("XDG_STATE_HOME") {
        Some(folder) => folder,
        None => absolute_path("HOME")?.join(".local/state"),
    };
    Some(state.join(format!("shared-rate-limit-{}", rustix::process::geteuid().as_raw())))
}

/// The path in an environment variable, if it is absolute.
fn absolute_path(variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(variable)?);
    if path.is_absolute() { Some(path) } else { None }
}

impl FileStore {
    pub(crate) fn new(folder: Option<PathBuf>, identity: Identity, process: String) -> Self {
        Self { folder, identity, process, files: Mutex::new(None) }
    }

    /// Opens the files of this boot, and creates them if they do not exist.
    fn open(&self) -> io::Result<Files> {
        let Some(folder) = &self.folder else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "neither XDG_STATE_HOME nor HOME is set"));
        };
        let folder = BootFolder::open(folder, &boot::id()?)?;
        let stem = self.identity.stem(&folder.secret()?);
        folder.clean();
        let process = ProcessFile::create(&folder.process_file(&stem, &self.process))?;
        let state = StateFile::open(&folder.state_file(&stem))?;
        Ok(Files { folder, stem, state, process })
    }

    /// Exchanges the state; the error `WouldBlock` means that another process holds a lock.
    fn try_exchange(&self, offer: &Offer) -> io::Result<Response> {
        let mut kept = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match kept.take() {
            Some(files) => files,
            None => self.open()?,
        };
        if files.process.is_deleted()? || files.state.is_deleted()? {
            // The next attempt opens the files again.
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let result = files.exchange(offer);
        let is_broken = result.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock);
        // After an error, the files are opened again.
        if !is_broken {
            *kept = Some(files);
        }
        result
    }
}

impl Files {
    fn exchange(&self, offer: &Offer) -> io::Result<Response> {
        let locked = self.state.lock()?;
        let now = boot::now();
        let content = locked.read()?;
        let unused_since = match &content {
            Content::Damaged => now,
            Content::Missing | Content::State(_) => LimiterTime::ZERO,
        };
        let mut version = String::new();
        let mut text = None;
        if let Content::State(header) = &content {
            version.clone_from(&header.version);
        }
        if offer.known != format!("{RUN}:{version}") {
            if let Content::State(header) = &content {
                text = Some(locked.text(header)?);
            }
        } else if let Some(next) = &offer.next {
            locked.write(&content, next)?;
            version.clone_from(&next.version);
        }
        Ok(Response { now, unused_since, run: RUN.to_owned(), version: format!("{RUN}:{version}"), text })
    }
}

impl StateStore for FileStore {
    const RENEWAL: Duration = Duration::from_secs(4);
    const IS_PRIVATE: bool = true;
    const NAME: &'static str = "the file";

    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let begun = Instant::now();
        let mut waits = 0;
        loop {
            let error = match self.try_exchange(&offer) {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            if error.kind() != io::ErrorKind::WouldBlock || begun.elapsed() > PATIENCE {
                return Err(Failure::transient("cannot use the file of the shared rate limit").with_source(error));
            }
            waits += 1;
            if waits <= SHORT_WAITS {
                std::thread::sleep(SHORT_WAIT);
            } else {
                tokio::time::sleep(LONG_WAIT).await;
            }
        }
    }

    fn has_ended(&self, process: &str) -> bool {
        let kept = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(files) => process_file::has_ended(&files.folder.process_file(&files.stem, process)),
            None => false,
        }
    }
}
