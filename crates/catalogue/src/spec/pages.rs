//! Declares how an endpoint divides its records into pages.

use crate::catalogue_format::Condition::{Has, HasNotOne, Lacks};
use crate::catalogue_format::{Form, map};
use crate::spanned::Text;

/// The condition for the path of a value beside the records.
const VALUE_PATH: Form = Form::Like(r"^[^.*]+(\.[^.*]+)*$", "dotted-path/pages");

map! {
    /// Each response leads to the next page in one of four ways: with a `cursor`, with a link (`next`), by the number of
    /// records before the page (`offset`), or by the number of the page (`page`).
    Pages, PAGES, "`pages`" {
        /// The JSON path of the cursor in a response, for example `next_page_token`. Without a cursor, the page is the
        /// last.
        may cursor: Option<Text> as VALUE_PATH;
        /// The wire name of the param that sends the cursor.
        may param: Option<Text>;
        /// The JSON path of the URL of the next page, for example `next_url`. Without a URL, the page is the last. A URL
        /// on another host is an error.
        may next: Option<Text> as VALUE_PATH;
        /// The wire name of the param for the number of records before the page.
        may offset: Option<Text>;
        /// The wire name of the param for the number of the page, which is 1 for the first page.
        may page: Option<Text>;
        /// The JSON path of the number of pages. Without it, the page before the first page without records is the last.
        may pages: Option<Text> as VALUE_PATH;
        /// The JSON path of the number of records on all pages. Without it, as for `pages`.
        may total: Option<Text> as VALUE_PATH;
        /// The wire name of the param for the number of records on a page, a `count`. The client sends the largest known
        /// value if a request has none.
        may size: Option<Text>;
    }
    never(HasNotOne(&["cursor", "next", "offset", "page"])): "pages-kind";
    never(Has("cursor"), Lacks("param")) at "cursor": "pages-kind/cursor";
    never(Has("param"), Lacks("cursor")) at "param": "pages-kind/param";
    never(Has("pages"), Lacks("page")) at "pages": "pages-kind/pages";
    never(Has("total"), Lacks("offset"), Lacks("page")) at "total": "pages-kind/total";
}
