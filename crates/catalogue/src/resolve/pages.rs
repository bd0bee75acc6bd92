//! Resolves `pages`: checks the params that select a page.

use super::Resolver;
use super::history::{TypedParam, is_count, is_settable};
use crate::model::{Body, EndpointParam, NextPage, Pages, Param};
use crate::spanned::Text;
use crate::spec;

impl<'a> Resolver<'a> {
    /// Resolves the pages of an endpoint.
    pub(super) fn pages(
        &mut self,
        endpoint: &'a spec::Endpoint,
        params: Option<&[EndpointParam]>,
        body: &Body,
    ) -> Option<Pages> {
        let pages = endpoint.pages.as_ref()?;
        let next = next_page(pages)?;
        if !matches!(body, Body::Series { .. }) {
            let keys = [&pages.cursor, &pages.next, &pages.offset, &pages.page];
            let at = keys.into_iter().flatten().next().map_or(endpoint.name.at(), Text::at);
            self.error("pages-series", at, &[]);
            return None;
        }
        if let Body::Series { format: Some(_), .. } = body
            && let Some(path) = [&pages.cursor, &pages.next, &pages.pages, &pages.total].into_iter().flatten().next()
        {
            self.error("body-as/pages", path.at(), &[]);
            return None;
        }
        let params: Vec<&Param> = params.unwrap_or_default().iter().map(|param| &*param.param).collect();
        if let Some(name) = &pages.param {
            let cursor = TypedParam { name, fits: is_settable, requirement: "have no `const_value`" };
            self.typed_param("pages-type", &params, cursor);
        }
        for name in [&pages.offset, &pages.page, &pages.size].into_iter().flatten() {
            let requirement = "be a `count` without `const_value`";
            self.typed_param("pages-type", &params, TypedParam { name, fits: is_settable_count, requirement });
        }
        Some(Pages { next, size: text(pages.size.as_ref()) })
    }
}

/// The fact that leads to the next page. Any other combination of keys breaks a rule of the format, and `load` has
/// already reported it.
fn next_page(pages: &spec::Pages) -> Option<NextPage> {
    if let (Some(path), Some(param)) = (&pages.cursor, &pages.param) {
        return Some(NextPage::Cursor { path: path.to_string(), param: param.to_string() });
    }
    if let Some(path) = &pages.next {
        return Some(NextPage::Link { path: path.to_string() });
    }
    let total = text(pages.total.as_ref());
    if let Some(param) = &pages.offset {
        return Some(NextPage::Offset { param: param.to_string(), total });
    }
    let param = pages.page.as_ref()?.to_string();
    Some(NextPage::Number { param, pages: text(pages.pages.as_ref()), total })
}

fn text(text: Option<&Text>) -> Option<String> {
    text.map(ToString::to_string)
}

fn is_settable_count(service: &spec::Service, param: &Param) -> bool {
    is_count(service, param) && is_settable(service, param)
}
