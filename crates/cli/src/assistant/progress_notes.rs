//! The progress of a fetch, as notifications to the host of the assistant, which shows it to the user.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use runtime::history::Progress;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use crate::progress::summary;

/// The minimum time between two notifications of a call.
const INTERVAL: Duration = Duration::from_secs(1);

/// Sends the progress of a call to the host that has asked for it.
#[derive(Debug)]
pub(crate) struct ProgressNotifier {
    host: Peer<RoleServer>,
    token: ProgressToken,
}

impl ProgressNotifier {
    /// `None` if the call has no token, because the host then shows no progress.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let token = context.meta.get_progress_token()?;
        Some(Self { host: context.peer.clone(), token })
    }

    /// Sends what it receives, until the fetch drops its sender. So no notification follows the answer.
    pub(crate) async fn send_all(self, mut received: UnboundedReceiver<Progress>) {
        while let Some(progress) = received.recv().await {
            // A host that does not accept a notification still gets the answer.
            let _ = self.host.notify_progress(notification(self.token.clone(), &progress)).await;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "the protocol has floating-point numbers")]
fn notification(token: ProgressToken, progress: &Progress) -> ProgressNotificationParam {
    let requests = progress.pages + progress.pages_left;
    ProgressNotificationParam::new(token, progress.pages as f64)
        .with_total(requests as f64)
        .with_message(summary(progress))
}

/// Selects the progress to be sent.
#[derive(Debug)]
pub(crate) struct ProgressSelection {
    sender: UnboundedSender<Progress>,
    /// The number of requests that were done at the last notification.
    done: u64,
    sent_at: Option<Instant>,
}

impl ProgressSelection {
    pub(crate) fn new(sender: UnboundedSender<Progress>) -> Self {
        Self { sender, done: 0, sent_at: None }
    }

    /// Sends a progress that is larger than the last one, as the protocol demands, and does not follow it too soon.
    pub(crate) fn add(&mut self, progress: &Progress) {
        let is_soon = self.sent_at.is_some_and(|sent_at| sent_at.elapsed() < INTERVAL);
        if progress.pages <= self.done || is_soon {
            return;
        }
        self.done = progress.pages;
        self.sent_at = Some(Instant::now());
        // The receiver lives as long as the fetch.
        let _ = self.sender.send(progress.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_progress_is_sent_once_and_not_too_often() {
        let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
        let mut selection = ProgressSelection::new(sender);
        for pages in [0, 1, 2, 3] {
            let mut progress = Progress::default();
            progress.pages = pages;
            selection.add(&progress);
        }
        assert_eq!(received.try_recv().unwrap().pages, 1);
        assert!(received.try_recv().is_err());
        selection.sent_at = Instant::now().checked_sub(INTERVAL);
        for pages in [1, 4, 5] {
            let mut progress = Progress::default();
            progress.pages = pages;
            selection.add(&progress);
        }
        assert_eq!(received.try_recv().unwrap().pages, 4);
        assert!(received.try_recv().is_err());
    }
}
