//! Distinguishes keys that are the names of fields from keys that are data.

use std::collections::BTreeSet;

use super::time_texts::{format_of, is_time_text};
use crate::observed_values::Observed;

/// `true` if the key of an object is probably data: a symbol, an address or an identifier.
pub(super) fn is_key_of_data(key: &str) -> bool {
    is_symbol(key) || is_address(key) || is_uuid(key) || is_time_text(key) || key.parse::<f64>().is_ok()
}

fn is_address(key: &str) -> bool {
    match key.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
        None => false,
    }
}

fn is_uuid(key: &str) -> bool {
    key.len() == 36 && key.matches('-').count() == 4
}

/// `true` if the keys of objects are field names, and not data such as `1700000000` or the name of an exchange.
pub(super) fn is_record(seen: &Observed) -> bool {
    let has_usual_length = (1..=80).contains(&seen.fields.len());
    let are_names = seen.fields.keys().all(|name| begins_like_a_name(name));
    has_usual_length && are_names && !seen.has_sent_keys && keys_of_data(seen).is_none() && !is_map(seen)
}

fn begins_like_a_name(key: &str) -> bool {
    key.starts_with(|first: char| first.is_alphanumeric() || "_@#$".contains(first))
}

/// `true` if the keys of objects are probably data: most of them look like symbols, or at least three contain objects
/// with the same fields.
fn is_map(seen: &Observed) -> bool {
    let Some((_, first)) = seen.fields.first() else { return false };
    let mut symbols = 0;
    let mut have_same_kind = true;
    let mut have_same_fields = !first.fields.is_empty();
    let names = names_of_fields(first);
    for (key, values) in &seen.fields {
        symbols += usize::from(is_symbol(key));
        have_same_kind &= values.kinds() == 1 && are_of_same_kind(values, first);
        have_same_fields &= values.objects > 0 && names_of_fields(values) == names;
    }
    let are_symbols = symbols * 2 > seen.fields.len();
    are_symbols && have_same_kind || seen.fields.len() > 2 && have_same_fields
}

fn names_of_fields(objects: &Observed) -> BTreeSet<&String> {
    objects.fields.keys().collect()
}

fn are_of_same_kind(one: &Observed, other: &Observed) -> bool {
    (one.objects > 0) == (other.objects > 0)
        && (one.lists > 0) == (other.lists > 0)
        && one.are_numbers() == other.are_numbers()
}

/// `true` if a key looks like the name of a coin or market, such as `XBTUSDT` or `BTC-USD`.
pub(super) fn is_symbol(key: &str) -> bool {
    let mut letters = 0;
    let mut others = 0;
    for character in key.chars() {
        letters += usize::from(character.is_ascii_alphabetic());
        others += usize::from(!is_upper(character) && !"-_/:.".contains(character));
    }
    key.len() > 2 && letters > 1 && others < 2 && key.chars().take(2).all(is_upper)
}

fn is_upper(character: char) -> bool {
    character.is_ascii_uppercase() || character.is_ascii_digit()
}

/// Examples of the keys of a body or record, if the keys seem to be data such as times or coins: most keys look
/// like data, or no two objects have a key in common.
pub(super) fn keys_of_data(seen: &Observed) -> Option<String> {
    let mut data = Vec::new();
    let mut is_one_shared = false;
    for (key, values) in &seen.fields {
        if is_number_or_date(key) {
            data.push(key);
        }
        is_one_shared |= values.times > 1;
    }
    if data.len() * 2 > seen.fields.len() {
        return Some(format!("`{}`", data[0]));
    }
    let mut keys = seen.fields.keys();
    let first = keys.next()?;
    let second = keys.next()?;
    if seen.objects < 2 || is_one_shared {
        return None;
    }
    Some(format!("`{first}` and `{second}`, which no two objects share"))
}

fn is_number_or_date(key: &str) -> bool {
    let date = key.split(['T', 't', ' ']).next().unwrap_or_default();
    key.parse::<f64>().is_ok() || format_of(date).is_some()
}
