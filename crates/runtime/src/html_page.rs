//! HTML pages, with which a CDN or a proxy in front of a service responds instead of the service.

/// The part of a page in which the title is searched, in bytes.
const SEARCHED: usize = 64 << 10;

/// Returns whether a text is an HTML page. Other XML, such as the error of a storage service, is not one.
pub(crate) fn is_page(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let begin = beginning(text, 1024).to_ascii_lowercase();
    begin.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<body", "<title", "<h1", "<center"]
            .iter()
            .any(|tag| begin.contains(tag))
}

/// Returns the title of an HTML page, or else its first heading, in one line; `None` if the text is not a page, or has
/// neither.
pub(crate) fn title(text: &str) -> Option<String> {
    if !is_page(text) {
        return None;
    }
    let page = beginning(text, SEARCHED);
    ["title", "h1", "h2"].into_iter().filter_map(|tag| element(page, tag)).find(|title| !title.is_empty())
}

/// Returns the text in the first element with this tag.
fn element(page: &str, tag: &str) -> Option<String> {
    // Lower case in ASCII alone, so that the positions are the same as in the page.
    let lower = page.to_ascii_lowercase();
    let open = format!("<{tag}");
    let mut from = 0;
    while let Some(found) = lower[from..].find(&open) {
        let after_name = from + found + open.len();
        let is_tag = lower[after_name..].starts_with(['>', ' ', '\t', '\r', '\n', '/']);
        if is_tag {
            let start = after_name + lower[after_name..].find('>')? + 1;
            let end = lower[start..].find(&format!("</{tag}")).map_or(page.len(), |length| start + length);
            return Some(plain(&page[start..end]));
        }
        from = after_name;
    }
    None
}

/// Removes tags, replaces entities and collapses white space.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut is_in_tag = false;
    for character in html.chars() {
        match character {
            '<' => is_in_tag = true,
            '>' if is_in_tag => {
                is_in_tag = false;
                text.push(' ');
            }
            _ if is_in_tag => {}
            _ => text.push(character),
        }
    }
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&nbsp;", " "),
        ("&mdash;", "—"),
        ("&ndash;", "–"),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, character);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns at most this many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_of_a_page_is_found() {
        let style = "<style>title{}*{box-sizing:border-box}</style>".repeat(20);
        for (page, expected) in [
            ("<!DOCTYPE html><html><head><title>Just a moment...</title></head>".to_owned(), Some("Just a moment...")),
            (format!("\n<html><head>{style}<TITLE lang=en>\n 403 &amp;\tForbidden </TITLE>"), Some("403 & Forbidden")),
            ("<html><body><h1>Not <b>here</b></h1>".to_owned(), Some("Not here")),
            ("<html><title></title><h1>Bad gateway".to_owned(), Some("Bad gateway")),
            ("\u{feff}<html><title>A</title>".to_owned(), Some("A")),
            ("<html><titles>A</titles><title>é".to_owned(), Some("é")),
            ("<html><body>nothing</body></html>".to_owned(), None),
            ("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>".to_owned(), None),
            ("{\"a\": \"<title>A</title>\"}".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(title(&page).as_deref(), expected, "{page}");
        }
    }
}
