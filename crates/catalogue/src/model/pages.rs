//! The part of the model for endpoints that divide their records into pages.

/// The way from each page of records to the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    pub next: NextPage,
    /// The wire name of the param for the number of records on a page.
    pub size: Option<String>,
}

/// The fact in a response that leads to the next page. Params are wire names, and paths are JSON paths in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextPage {
    Cursor {
        path: String,
        param: String,
    },
    /// The URL of the next page.
    Link {
        path: String,
    },
    /// The number of records before the page.
    Offset {
        param: String,
        total: Option<String>,
    },
    /// The number of the page, which is 1 for the first page.
    Number {
        param: String,
        pages: Option<String>,
        total: Option<String>,
    },
}
