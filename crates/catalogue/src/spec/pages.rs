//! Declares how an endpoint divides its records into pages.

use crate::catalogue_format::Condition::{Has, HasNotOne, Lacks};
use crate::catalogue_format::{Form, map};
use crate::spanned::Text;

/// The condition for the path of a value beside the records.
const VALUE_PATH: Form = Form::Like(r"^[^.*]+(\.[^.*]+)*$", "dotted-path/pages");

map! {
    /// The way to the next page: one of `cursor`, `next`, `offset` and `page`.
    Pages, PAGES, "`pages`" {
        /// The JSON path of the cursor in a response, for example `next_page_token`. Without it, the page is the last.
        may cursor: Option<Text> as VALUE_PATH;
        /// The param that sends the cursor.
        may param: Option<Text>;
        /// The JSON path of the URL of the next page, for example `next_url`. Without it, the page is the last.
        may next: Option<Text> as VALUE_PATH;
        /// The param for the number of records before the page.
        may offset: Option<Text>;
        /// The param for the number of the page; 1 is the first.
        may page: Option<Text>;
        /// The JSON path of the number of pages. Without it, the page before the first page without records is the last.
        may pages: Option<Text> as VALUE_PATH;
        /// The JSON path of the number of records on all pages. Without it, as for `pages`.
        may total: Option<Text> as VALUE_PATH;
        /// The param for the number of records on a page, a `count`. The default is its largest known value.
        may size: Option<Text>;
    }
    never(HasNotOne(&["cursor", "next", "offset", "page"])): "pages-kind";
    never(Has("cursor"), Lacks("param")) at "cursor": "pages-kind/cursor";
    never(Has("param"), Lacks("cursor")) at "param": "pages-kind/param";
    never(Has("pages"), Lacks("page")) at "pages": "pages-kind/pages";
    never(Has("total"), Lacks("offset"), Lacks("page")) at "total": "pages-kind/total";
}
