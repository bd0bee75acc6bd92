//! Emits the tables in the README of the catalogue, which list all keys of the catalogue format.

use askama::Template;

use super::{markdown, render};
use catalogue::catalogue_format::{Form, Map, Shape};
use catalogue::expected;
use catalogue::model::TimeFormat;
use catalogue::spec::{Evidence, all_maps};

/// The markers before and after the tables. The rest of the page is written by hand.
const BEGIN: &str = "<!-- Emitted by `cargo xtask codegen`: every key. -->\n";
const END: &str = "<!-- End of the emitted tables. -->\n";

/// A page with updated tables; a page without the markers is unchanged.
pub(crate) fn with_key_tables(page: &str) -> String {
    let Some((before, rest)) = page.split_once(BEGIN) else { return page.to_owned() };
    let Some((_, after)) = rest.split_once(END) else { return page.to_owned() };
    let tables = render::page(&Keys { maps: all_maps() });
    format!("{before}{BEGIN}\n{tables}\n{END}{after}")
}

/// The sections of all maps.
#[derive(Template)]
#[template(path = "catalogue_keys.md")]
struct Keys {
    maps: Vec<&'static Map>,
}

/// Describes the accepted values of a key, with links to the sections of maps.
fn value(shape: &Shape, form: &Form) -> String {
    match (shape, form) {
        (Shape::Text, Form::Type | Form::TypeInMap) => "a type".to_owned(),
        (Shape::Text, Form::Path { .. }) => "a path".to_owned(),
        (Shape::Text, Form::Prose) => "prose".to_owned(),
        (Shape::Text, Form::Scalar) => "text or a number".to_owned(),
        (Shape::Whole, Form::Within(min, u32::MAX, _)) => format!("a number, at least {min}"),
        (Shape::Whole, Form::Within(min, max, _)) => format!("a number from {min} to {max}"),
        (Shape::List(item), _) => format!("a list: {}", value(item, form)),
        (Shape::Map(map), _) => link(map),
        (Shape::UseOr(entry, other), _) => format!("{} or {}", link(entry), link(other)),
        (Shape::Either(shapes), _) => {
            let choices: Vec<_> = shapes.iter().map(|shape| value(shape, form)).collect();
            choices.join(" or ")
        }
        (Shape::Word(words), _) if are_words_of(words, Evidence::ALL, Evidence::word) => {
            "[evidence](#evidence)".to_owned()
        }
        (Shape::Word(words), _) if are_words_of(words, TimeFormat::ALL, TimeFormat::word) => {
            "[a format of times](#times)".to_owned()
        }
        (shape, _) => expected(shape),
    }
}

/// True if these words, with their meanings, are those of an enum. The page describes the words of some enums in a section,
/// because many keys accept them.
fn are_words_of<E: Copy>(words: &[(&str, &str)], all: &[E], word: fn(E) -> &'static str) -> bool {
    words.iter().map(|(word, _)| *word).eq(all.iter().copied().map(word))
}

fn link(map: &Map) -> String {
    format!("[{}](#{})", map.what, map.what.replace('`', "").replace(' ', "-"))
}
