//! The rate limit that all processes of a machine share through a file.
//!
//! The API key, the host of the base URL and the rate limit are those of a client's settings. A rate limiter is always
//! returned: if the file cannot be used, it limits the requests of this process only.

use std::convert::Infallible;
use std::time::Duration;

use runtime::rate_limit::ProcessRateLimiter;
use runtime::rate_limit::rules::Account;
use runtime::{Builder, emitted};

use crate::file_store::{FileStore, Identity, default_folder};
use crate::parts::{Parts, Settings, start};
use crate::shared_rate_limiter::SharedRateLimiter;

/// Sets a rate limiter that the client shares with all processes of this user on this machine that use the same API key
/// and host.
///
/// The rate limit is the one in the settings. The state is in a file below `$XDG_STATE_HOME` or `~/.local/state`. If the
/// file cannot be used, for example because the home folder is read-only, and on systems other than Linux, the rate
/// limit applies to this process only.
///
/// ```no_run
/// # use test_service::invented::Client;
/// # fn demo() -> Result<(), Box<dyn std::error::Error>> {
/// use generated_client_shared_rate_limit::shared_on_this_machine;
///
/// let client = shared_on_this_machine(Client::builder("https://example.com/v2").api_key("key")).build()?;
/// # Ok(()) }
/// ```
pub fn shared_on_this_machine<C: From<emitted::Core>>(builder: Builder<C>) -> Builder<C> {
    let limiter = SharedRateLimiter::of_this_machine(&builder);
    builder.rate_limiter(limiter)
}

impl SharedRateLimiter {
    /// Creates the rate limiter that [`shared_on_this_machine`] sets, for a program that also reads its status.
    pub fn of_this_machine<C: From<emitted::Core>>(builder: &Builder<C>) -> Self {
        let parts = parts(&builder.account());
        if let Err(error) = start(parts.workers) {
            // Without a worker, every request uses the rate limiter of the process.
            tracing::debug!(%error, "cannot start the worker thread of the shared rate limit");
        }
        parts.limiter
    }
}

fn parts(account: &Account) -> Parts<FileStore> {
    let settings = Settings {
        limit: account.limit.clone(),
        name: account.origin.clone(),
        // The rate limiter of the process serves instead, so no request waits for the file.
        fail_after: Duration::ZERO,
        fallback: Some(ProcessRateLimiter::new(account.limit.clone())),
    };
    let Ok(parts) = Parts::new(settings, |name, process| {
        let identity = Identity::new(name, account.credentials());
        Ok::<_, Infallible>(FileStore::new(default_folder(), identity, process.to_owned()))
    });
    parts
}
