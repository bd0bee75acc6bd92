//! Histories for callers who do not await: the items of a stream as an iterator.
//!
//! The calling thread waits for each item of a stream. Meanwhile the client's background thread sends the requests for
//! the next items.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::client::Background;
use crate::error::Error;

/// The pages, records or rows of a history, one after the other; the calling thread waits for each.
///
/// Inside an async runtime, where the thread must not block, each call returns an error and leaves the iterator
/// unchanged.
#[must_use = "nothing is sent before the first item is requested"]
pub struct Blocking<S: Stream> {
    /// `None` if there is nothing to fetch.
    background: Option<Arc<Background>>,
    /// `None` if it was abandoned.
    stream: Option<S>,
    /// Items that arrived together with the one that the thread waited for.
    items: VecDeque<S::Item>,
    /// The maximum number of available items that are read at once.
    at_once: usize,
}

impl<S: Stream> Blocking<S> {
    pub(super) fn new(background: impl Into<Option<Arc<Background>>>, stream: S) -> Self {
        Self { background: background.into(), stream: Some(stream), items: VecDeque::new(), at_once: 1 }
    }

    /// Sets the number of items that are read at once: waiting for each one would cost more than reading it.
    pub(super) fn at_once(self, items: usize) -> Self {
        Self { at_once: items, ..self }
    }

    /// The stream, which has report, progress and checkpoint; `None` after a request was abandoned.
    ///
    /// A stream of records or rows is up to a thousand of them ahead of this iterator.
    pub fn stream(&self) -> Option<&S> {
        self.stream.as_ref()
    }

    /// The stream, mutable, so that its report can be taken from time to time.
    pub fn stream_mut(&mut self) -> Option<&mut S> {
        self.stream.as_mut()
    }
}

impl<S, T> Iterator for Blocking<S>
where
    S: Stream<Item = Result<T, Error>> + Unpin + Send + 'static,
    T: Send + 'static,
{
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.items.is_empty() {
            let background = self.background.as_ref()?;
            // This function keeps a handle to the stream, to restore it if the background thread does not start.
            let (stream, at_once) = (Arc::new(Mutex::new(Some(self.stream.take()?))), self.at_once);
            let lent = stream.clone();
            let waited = background.wait(async move {
                let mut stream = take(&lent)?;
                let mut items = VecDeque::new();
                poll_fn(|cx| poll_some(&mut stream, at_once, &mut items, cx)).await;
                Some((stream, items))
            });
            match waited.transpose()? {
                Ok((stream, items)) => (self.stream, self.items) = (Some(stream), items),
                Err(error) => {
                    self.stream = take(&stream);
                    return Some(Err(error));
                }
            }
        }
        self.items.pop_front()
    }
}

fn take<S>(stream: &Mutex<Option<S>>) -> Option<S> {
    stream.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Waits for an item or for the end, and also reads the items that are already available.
fn poll_some<S: Stream + Unpin>(
    stream: &mut S,
    at_once: usize,
    items: &mut VecDeque<S::Item>,
    cx: &mut Context<'_>,
) -> Poll<()> {
    while items.len() < at_once {
        match Pin::new(&mut *stream).poll_next(cx) {
            Poll::Ready(Some(item)) => items.push_back(item),
            Poll::Pending if items.is_empty() => return Poll::Pending,
            Poll::Ready(None) | Poll::Pending => break,
        }
    }
    Poll::Ready(())
}

impl<S: Stream> fmt::Debug for Blocking<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocking(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// A stream that returns these polls in order, and then ends.
    struct Script(VecDeque<Poll<u8>>);

    impl Stream for Script {
        type Item = u8;

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u8>> {
            self.0.pop_front().map_or(Poll::Ready(None), |polled| polled.map(Some))
        }
    }

    fn blocking(stream: Script) -> Blocking<Script> {
        Blocking::new(None::<Arc<Background>>, stream)
    }

    #[test]
    fn available_items_are_returned_at_once() {
        let script = [1, 2, 0, 0, 3, 4, 5, 6].map(|item| if item == 0 { Poll::Pending } else { Poll::Ready(item) });
        let mut all = blocking(Script(script.into())).at_once(3);
        let mut poll = || {
            let (stream, mut items) = (all.stream.as_mut().unwrap(), VecDeque::new());
            let polled = poll_some(stream, all.at_once, &mut items, &mut Context::from_waker(Waker::noop()));
            (polled.is_ready(), Vec::from(items))
        };
        let expected = [(true, vec![1, 2]), (false, vec![]), (true, vec![3, 4, 5]), (true, vec![6]), (true, vec![])];
        assert_eq!([(); 5].map(|()| poll()), expected);
    }

    #[test]
    fn debug_shows_no_records() {
        assert_eq!(format!("{:?}", blocking(Script([Poll::Ready(7)].into()))), "Blocking(..)");
    }
}
