//! Histories for code without async: the items of a stream as an iterator.
//!
//! The calling thread waits for each item of a stream. Meanwhile the client's background thread sends the requests for
//! the next items.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::client::Background;
use crate::error::Error;
use crate::platform::lock;

/// An iterator over the pages or records of a history, which blocks the calling thread until the next item is
/// available.
///
/// In an async task, where the thread must not block, each call returns an error and leaves the iterator unchanged.
#[must_use = "nothing is sent before the first item is requested"]
pub struct Blocking<S: Stream> {
    background: Arc<Background>,
    /// The stream, which the background thread locks each time it polls for an item.
    stream: Arc<Mutex<S>>,
    /// Items that have been read from the stream but not returned yet.
    items: VecDeque<S::Item>,
    /// The maximum number of available items that are read at once. Several items are read at once, because waiting for
    /// an item costs more than reading it.
    at_once: usize,
}

impl<S: Stream> Blocking<S> {
    pub(super) fn new(background: Arc<Background>, stream: S, at_once: usize) -> Self {
        Self { background, stream: Arc::new(Mutex::new(stream)), items: VecDeque::new(), at_once }
    }

    /// Returns the stream, which provides the report, the progress and the checkpoint.
    ///
    /// A stream of records is up to 1000 records ahead of this iterator.
    pub fn stream(&self) -> MutexGuard<'_, S> {
        lock(&self.stream)
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
            let (stream, at_once) = (self.stream.clone(), self.at_once);
            match self.background.wait(poll_fn(move |cx| poll_some(&mut *lock(&stream), at_once, cx))) {
                Ok(items) => self.items = items,
                Err(error) => return Some(Err(error)),
            }
        }
        self.items.pop_front()
    }
}

/// Waits for an item or for the end, and also reads the items that are already available.
fn poll_some<S: Stream + Unpin>(stream: &mut S, at_once: usize, cx: &mut Context<'_>) -> Poll<VecDeque<S::Item>> {
    let mut items = VecDeque::new();
    while items.len() < at_once {
        match Pin::new(&mut *stream).poll_next(cx) {
            Poll::Ready(Some(item)) => items.push_back(item),
            Poll::Pending if items.is_empty() => return Poll::Pending,
            Poll::Ready(None) | Poll::Pending => break,
        }
    }
    Poll::Ready(items)
}

crate::transport::opaque_debug!(Blocking<S: Stream>);

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

    #[test]
    fn available_items_are_returned_at_once() {
        let script = [1, 2, 0, 0, 3, 4, 5, 6].map(|item| if item == 0 { Poll::Pending } else { Poll::Ready(item) });
        let mut stream = Script(script.into());
        let mut poll = || match poll_some(&mut stream, 3, &mut Context::from_waker(Waker::noop())) {
            Poll::Ready(items) => Some(Vec::from(items)),
            Poll::Pending => None,
        };
        let expected = [Some(vec![1, 2]), None, Some(vec![3, 4, 5]), Some(vec![6]), Some(vec![])];
        assert_eq!([(); 5].map(|()| poll()), expected);
    }
}
