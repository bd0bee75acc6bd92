//! The way from each page of records to the next page.

/// The way from each page of records to the next page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagesInfo {
    /// The fact that leads to the next page.
    pub next: NextPage,
    /// Param for the number of records on a page; `None` if there is no such param.
    pub size: Option<&'static str>,
}

/// The fact that leads to the next page. Params are wire names, and paths are JSON paths in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPage {
    /// A cursor in the response, which a param sends with the next request. Without a cursor, the page is the last.
    Cursor {
        /// Path of the cursor.
        path: &'static str,
        /// Param that sends the cursor.
        param: &'static str,
    },
    /// A link in the response. Without a link, the page is the last.
    Link {
        /// Path of the link.
        path: &'static str,
    },
    /// The number of records before the page.
    Offset {
        /// Param for this number.
        param: &'static str,
        /// Path of the number of records on all pages.
        total: Option<&'static str>,
    },
    /// The number of the page, which is 1 for the first page.
    Number {
        /// Param for the number of the page.
        param: &'static str,
        /// Path of the number of pages.
        pages: Option<&'static str>,
        /// Path of the number of records on all pages.
        total: Option<&'static str>,
    },
}

impl NextPage {
    /// The param that selects the next page; `None` if a link selects it.
    pub const fn param(&self) -> Option<&'static str> {
        match self {
            Self::Cursor { param, .. } | Self::Offset { param, .. } | Self::Number { param, .. } => Some(*param),
            Self::Link { .. } => None,
        }
    }
}

/// Constructors for emitted code.
#[doc(hidden)]
impl PagesInfo {
    pub const fn cursor(path: &'static str, param: &'static str) -> Self {
        Self::of(NextPage::Cursor { path, param })
    }

    pub const fn link(path: &'static str) -> Self {
        Self::of(NextPage::Link { path })
    }

    pub const fn offset(param: &'static str, total: Option<&'static str>) -> Self {
        Self::of(NextPage::Offset { param, total })
    }

    pub const fn number(param: &'static str, pages: Option<&'static str>, total: Option<&'static str>) -> Self {
        Self::of(NextPage::Number { param, pages, total })
    }

    const fn of(next: NextPage) -> Self {
        Self { next, size: None }
    }

    #[must_use]
    pub const fn sized(mut self, size: &'static str) -> Self {
        self.size = Some(size);
        self
    }
}
