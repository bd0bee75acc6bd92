//! The shared state in the store, as last read or written.

use runtime::RateLimit;
use tokio::time::Instant;

use crate::failure::Failure;
use crate::proposal::Proposal;
use crate::shared_state::{Origin, SharedState, Unreadable};
use crate::state_store::{Response, StateStore};

/// The shared state in the store, with its version, as read or written at a local time.
#[derive(Debug)]
pub(crate) struct KnownState {
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    pub(crate) at: Instant,
}

impl KnownState {
    /// Processes the response of a store. It may show that the store has accepted `proposal`.
    pub(crate) fn from_response<S: StateStore>(
        response: Response,
        former: Option<&Self>,
        proposal: Option<&Proposal>,
        limit: &RateLimit,
    ) -> Result<Self, Failure> {
        let origin = Origin { limit, run: &response.run, now: response.now, renewal: S::RENEWAL };
        let mut shared = match (&response.text, proposal, former) {
            (Some(text), ..) => read::<S>(text, origin)?,
            (None, ..) if response.is_empty() => restore::<S>(&response, former, origin)?,
            (None, Some(proposal), _) => proposal.shared.clone(),
            (None, None, Some(former)) if former.version == response.version => former.shared.clone(),
            (None, None, _) => {
                return Err(Failure::transient(format!("{} of the shared rate limit returned no state", S::NAME)));
            }
        };
        // The clock may have been set while a proposal was in transit, so the time is checked even in a state that this
        // process has just written.
        if shared.is_ahead_of(response.now) {
            shared = SharedState::lost(origin);
        }
        Ok(Self { version: response.version, shared, at: Instant::now() })
    }

    /// `true` if the store has accepted a proposal of a process.
    pub(crate) fn contains(&self, proposal: &Proposal, run: &str, process: &str) -> bool {
        // If the response to the proposal was lost, the number in the lease shows that the proposal was accepted.
        self.version == format!("{run}:{}", proposal.version) || self.shared.exchange(process) == Some(proposal.number)
    }

    /// `true` if the store has had this state in its current run.
    fn is_of_run(&self, run: &str) -> bool {
        let version = self.version.strip_prefix(run).and_then(|rest| rest.strip_prefix(':'));
        version.is_some_and(|version| !version.is_empty())
    }
}

/// Parses a text of the store.
fn read<S: StateStore>(text: &str, origin: Origin<'_>) -> Result<SharedState, Failure> {
    let error = match SharedState::read(text, origin) {
        Ok(shared) => return Ok(shared),
        Err(_) if S::IS_PRIVATE => return Ok(SharedState::lost(origin)),
        Err(error) => error,
    };
    let store = S::NAME;
    Err(match error {
        Unreadable::NotAState(cause) => Failure::permanent(format!(
            "the shared state on {store} was written by another version or program; choose another name for the shared state"
        ))
        .with_source(cause),
        Unreadable::OtherFormat(format) => Failure::permanent(format!(
            "the shared state on {store} has format {format}, which this version does not read; choose another name for the shared state"
        )),
        Unreadable::TooLong => Failure::permanent(format!(
            "the shared state on {store} is too long; choose another name for the shared state"
        )),
    })
}

/// Creates the state for a store that has none.
fn restore<S: StateStore>(
    response: &Response,
    former: Option<&KnownState>,
    origin: Origin<'_>,
) -> Result<SharedState, Failure> {
    let Some(former) = former.filter(|former| former.is_of_run(&response.run)) else {
        return Ok(SharedState::new(origin, response.unused_since));
    };
    if S::IS_PRIVATE {
        // The file was deleted. This process remembers its content.
        return Ok(former.shared.clone());
    }
    // This is an error, because a new shared state would delay all requests after each deletion.
    Err(Failure::permanent(DELETED))
}

const DELETED: &str = "the server of the shared rate limit has deleted its data: another program deletes keys, or the server \
                       evicts them; set `maxmemory-policy noeviction` there";
