//! A history for callers who do not await: iterators over pages and records.
//!
//! A stream comes in, and the calling thread waits for each page of it. While the caller works on one, the requests for
//! the next go on in the background.

use std::fmt;
use std::sync::Arc;
use std::vec;

use super::page::{Findings, Page};
use super::streams::Pages;
use crate::client::Background;
use crate::error::Error;

/// The pages of a history, one after the other; from [`History::pages_blocking`](super::History::pages_blocking).
#[must_use = "nothing is asked before the first page is"]
pub struct PagesBlocking<T> {
    background: Arc<Background>,
    /// `None` after the last page.
    pages: Option<Pages<T>>,
}

impl<T: Send + 'static> PagesBlocking<T> {
    pub(super) fn new(background: Arc<Background>, pages: Pages<T>) -> Self {
        Self { background, pages: Some(pages) }
    }
}

impl<T: Send + 'static> Iterator for PagesBlocking<T> {
    type Item = Result<Page<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut pages = self.pages.take()?;
        let next = self.background.wait(async move {
            let page = pages.next().await;
            (pages, page)
        });
        match next {
            Ok((pages, page)) => {
                self.pages = page.is_some().then_some(pages);
                page
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T> fmt::Debug for PagesBlocking<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PagesBlocking(..)")
    }
}

/// The records of a history, one after the other; from
/// [`History::records_blocking`](super::History::records_blocking).
#[must_use = "nothing is asked before the first record is"]
pub struct RecordsBlocking<T> {
    pages: PagesBlocking<T>,
    records: vec::IntoIter<T>,
    findings: Findings,
}

impl<T: Send + 'static> RecordsBlocking<T> {
    pub(super) fn new(pages: PagesBlocking<T>) -> Self {
        Self { pages, records: Vec::new().into_iter(), findings: Findings::default() }
    }

    /// What was told beside the records up to now.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }
}

impl<T: Send + 'static> Iterator for RecordsBlocking<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.records.next() {
                return Some(Ok(record));
            }
            match self.pages.next()? {
                Ok(page) => {
                    self.findings.add(page.findings);
                    self.records = page.records.into_iter();
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T> fmt::Debug for RecordsBlocking<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordsBlocking(..)")
    }
}
