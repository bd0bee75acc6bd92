//! Emits the tables in the README of the catalogue, which list all keys of the catalogue format.

use askama::Template;

use super::{docs, render};
use catalogue::catalogue_format::{Form, Map, Shape};
use catalogue::expected;
use catalogue::spec::all_maps;

/// The markers before and after the tables. The rest of the page is written by hand.
const MARKS: [&str; 2] =
    ["<!-- Emitted by `cargo xtask codegen`: every key. -->\n", "<!-- End of the emitted tables. -->\n"];

/// Returns a page with updated tables; a page without the markers is unchanged.
pub(crate) fn with_key_tables(page: &str) -> String {
    let parts = page.split_once(MARKS[0]).and_then(|(before, rest)| Some((before, rest.split_once(MARKS[1])?.1)));
    let Some((before, after)) = parts else { return page.to_owned() };
    [before, MARKS[0], "\n", &render::page(&Keys { maps: all_maps() }), "\n", MARKS[1], after].concat()
}

/// The sections of all maps.
#[derive(Template)]
#[template(path = "catalogue_keys.md")]
struct Keys {
    maps: Vec<&'static Map>,
}

/// Describes the accepted values of a key, with links to the sections of maps.
fn value(shape: &Shape, form: &Form) -> String {
    let link = |map: &Map| format!("[{}](#{})", map.what, map.what.replace('`', "").replace(' ', "-"));
    match (shape, form) {
        (Shape::Text, Form::Type) => "a type".to_owned(),
        (Shape::Text, Form::Path { .. }) => "a path".to_owned(),
        (Shape::Text, Form::Prose) => "prose".to_owned(),
        (Shape::Text, Form::Scalar) => "text or a number".to_owned(),
        (Shape::Whole, Form::Within(min, u32::MAX, _)) => format!("a number, at least {min}"),
        (Shape::Whole, Form::Within(min, max, _)) => format!("a number from {min} to {max}"),
        (Shape::List(item), _) => format!("a list: {}", value(item, form)),
        (Shape::Map(map), _) => link(map),
        (Shape::UseOr(entry, other), _) => format!("{} or {}", link(entry), link(other)),
        (Shape::Either(shapes), _) => shapes.iter().map(|shape| value(shape, form)).collect::<Vec<_>>().join(" or "),
        (shape, _) => expected(shape),
    }
}
