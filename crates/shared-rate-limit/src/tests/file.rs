//! Tests of processes that share a file. The clock is real, so the tests assert results, and durations only roughly.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tokio::task::JoinSet;

use super::*;
use crate::file_store::{FileStore, Identity};
use crate::state_store::{Offer, Stored};

const KEY: &str = "canary-key";

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!(
            "shared-rate-limit-test-{}-{:x}",
            std::process::id(),
            fastrand::u64(..)
        )))
    }

    fn store(&self, process: &str) -> FileStore {
        FileStore::new(
            Some(self.0.join("all")),
            Identity::new("https://example.com", [KEY.as_bytes()]),
            process.to_owned(),
        )
    }

    fn process(&self, service: &Arc<Service>, limit: RateLimit) -> TestProcess {
        let settings = Settings {
            fail_after: Duration::ZERO,
            fallback: Some(runtime::rate_limit::ProcessRateLimiter::new(limit.clone())),
            ..settings(limit)
        };
        TestProcess::of(service, settings, |_| self.store(&format!("1-{:08x}", fastrand::u32(..))))
    }

    /// The files with this extension.
    fn files(&self, kind: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.0.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == kind) {
                    found.push(path);
                }
            }
        }
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn offer(known: &str, version: &str, text: &str) -> Offer {
    Offer { known: known.to_owned(), next: Some(Stored { version: version.to_owned(), text: text.to_owned() }) }
}

async fn read(store: &FileStore) -> Option<String> {
    store.exchange(Offer::default()).await.unwrap().text
}

#[tokio::test]
async fn file_keeps_the_last_accepted_text() {
    let folder = Folder::new();
    let (one, other) = (folder.store("1-a"), folder.store("2-b"));
    let first = one.exchange(Offer::default()).await.unwrap();
    assert!(first.is_empty() && first.unused_since.is_zero() && first.text.is_none());
    let mut known = first.version;
    // Texts of every length replace each other, and never overwrite the one that is still valid.
    for length in [10, 5000, 100_000, 1, 4096, 300_000, 0, 8192, 20] {
        let text = "x".repeat(length);
        let accepted = one.exchange(offer(&known, &format!("1-a-{length}"), &text)).await.unwrap();
        assert_eq!(accepted.text, None);
        assert_eq!(read(&other).await, Some(text), "{length}");
        let rejected = other.exchange(offer(&known, "2-b-1", "lost")).await.unwrap();
        assert_eq!(rejected.version, accepted.version);
        known = accepted.version;
    }
    assert!(folder.files("state")[0].metadata().unwrap().len() < 1_000_000);
}

#[tokio::test]
async fn error_names_the_path() {
    let folder = Folder::new();
    fs::write(&folder.0, "").unwrap();
    let failure = folder.store("1-a").exchange(Offer::default()).await.unwrap_err();
    let cause = std::error::Error::source(failure.error()).unwrap().to_string();
    fs::remove_file(&folder.0).unwrap();
    assert!(cause.starts_with(&format!("{}: ", folder.0.join("all").display())), "{cause}");
}

#[tokio::test]
async fn end_of_a_process_is_seen_at_once() {
    let folder = Folder::new();
    let one = folder.store("1-a");
    let other = folder.store("2-b");
    read(&one).await;
    read(&other).await;
    assert!(!one.has_ended("2-b") && !other.has_ended("1-a"));
    drop(other);
    assert!(one.has_ended("2-b"));
    // A name from a damaged state names no other file.
    assert!(one.has_ended("../../x"));
    assert!(!one.has_ended("1-a"));
    assert_eq!(folder.files("process").len(), 1);
}

#[tokio::test]
async fn files_are_private_and_reveal_no_key() {
    let folder = Folder::new();
    read(&folder.store("1-a")).await;
    let all = folder.files("state").into_iter().chain(folder.files("process"));
    for file in all.chain([folder.0.join("all")]) {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if file.is_dir() { 0o700 } else { 0o600 });
        assert!(!format!("{file:?}").contains("canary"));
    }
    let other = FileStore::new(Some(folder.0.join("all")), Identity::new("https://example.com", []), "1-a".to_owned());
    read(&other).await;
    assert_eq!(folder.files("state").len(), 2, "another key has another file");
}

#[tokio::test]
async fn links_and_shared_folders_are_errors() {
    let service = service(MILLISECOND);
    let target = Folder::new();
    fs::create_dir_all(&target.0).unwrap();
    let linked = Folder::new();
    fs::create_dir_all(&linked.0).unwrap();
    symlink(&target.0, linked.0.join("all")).unwrap();
    let open = Folder::new();
    fs::create_dir_all(open.0.join("all")).unwrap();
    fs::set_permissions(open.0.join("all"), fs::Permissions::from_mode(0o777)).unwrap();
    let occupied = Folder::new();
    fs::write(&occupied.0, "a file").unwrap();
    for folder in [&linked, &open, &occupied] {
        assert!(folder.store("1-a").exchange(Offer::default()).await.is_err());
        // The rate limiter of the process serves.
        let process = folder.process(&service, set_a());
        process.client.raw("/x").await.unwrap();
        assert!(process.limiter.status().await.is_err());
    }
    fs::remove_file(&occupied.0).unwrap();
}

/// Runs two processes while `harm` is done to their files, and checks that they continue.
async fn check(harm: fn(&Folder, &Path)) {
    let folder = Folder::new();
    let service = service(20 * MILLISECOND);
    let limit = RateLimit::new(20, SECOND / 5, 10);
    let mut processes = [(); 2].map(|()| folder.process(&service, limit.clone()));
    let begun = Instant::now();
    for process in &mut processes {
        process.run("/x", 3, begun + 3 * SECOND);
    }
    tokio::time::sleep(SECOND).await;
    harm(&folder, &folder.files("state")[0]);
    let before = service.arrivals().len();
    for process in &mut processes {
        process.finish().await;
    }
    let after = service.arrivals().len() - before;
    assert!(before > 10 && after > 40, "{before} requests before, {after} after");
    assert_eq!(folder.files("state").len(), 1);
    assert_eq!(folder.files("process").len(), 2);
    assert!(processes[0].limiter.status().await.is_ok());
}

#[tokio::test]
async fn deleted_file_is_created_again() {
    check(|_, state| fs::remove_file(state).unwrap()).await;
}

#[tokio::test]
async fn deleted_folder_is_created_again() {
    check(|folder, _| fs::remove_dir_all(&folder.0).unwrap()).await;
}

#[tokio::test]
async fn damaged_file_is_replaced() {
    // Each case waits for the longest window.
    let mut cases = JoinSet::new();
    for content in ["", "x", "1-a-1 4096 10\n", "\0\0\0\0"] {
        for length in [5, 5000] {
            cases.spawn(replace_damaged_file(content, length));
        }
    }
    while let Some(case) = cases.join_next().await {
        case.unwrap();
    }
}

async fn replace_damaged_file(content: &str, length: usize) {
    let folder = Folder::new();
    let service = service(MILLISECOND);
    let mut first = folder.process(&service, set_a());
    first.client.raw("/x").await.unwrap();
    // Its last write would replace the damage.
    first.kill();
    assert!((&mut first.worker).await.unwrap_err().is_cancelled());
    let damage = content.repeat(length).into_bytes();
    let begun = Instant::now();
    fs::write(&folder.files("state")[0], damage).unwrap();
    folder.process(&service, set_a()).client.raw("/x").await.unwrap();
    // Earlier requests are unknown, so nothing is sent for the longest window.
    let is_empty = content.is_empty();
    assert!(is_empty || begun.elapsed() > SECOND, "{content:?}: {:?}", begun.elapsed());
}

/// A dead process has occupied every slot, and has admitted requests that it never sent.
#[tokio::test]
async fn slots_of_a_dead_process_are_free_at_once() {
    let folder = Folder::new();
    let slow = Service::new(|_, _| MockResponse { arrives_after: 100 * SECOND, sent_after: 100 * SECOND, ..ok() });
    let limit = RateLimit::new(100, SECOND, 3);
    let mut dead = folder.process(&slow, limit.clone());
    dead.run("/x", 5, Instant::now() + SECOND);
    tokio::time::sleep(SECOND / 2).await;
    let service = service(MILLISECOND);
    let alive = folder.process(&service, limit);
    assert_eq!(alive.limiter.status().await.unwrap().in_flight, 3);
    // Dropping the worker closes the file of the process, as its end does.
    dead.kill();
    let begun = Instant::now();
    alive.client.raw("/x").await.unwrap();
    assert!(begun.elapsed() < SECOND, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn file_locked_by_a_stopped_process_does_not_block() {
    let folder = Folder::new();
    let service = service(MILLISECOND);
    let process = folder.process(&service, set_a());
    process.client.raw("/x").await.unwrap();
    let file = fs::File::open(&folder.files("state")[0]).unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let begun = Instant::now();
    process.client.raw("/x").await.unwrap();
    assert!(begun.elapsed() < 5 * SECOND, "{:?}", begun.elapsed());
    drop(file);
    tokio::time::sleep(2 * SECOND).await;
    assert!(process.limiter.status().await.is_ok());
}
