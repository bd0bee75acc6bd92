//! Distinguishes keys that are the names of fields from keys that are data.

use std::collections::BTreeSet;

use super::time_texts::{format_of, is_time_text};
use crate::observed_values::Observed;

/// `true` if the key of an object is probably data: a symbol, an address or an identifier.
pub(super) fn is_key_of_data(key: &str) -> bool {
    let is_hex = key.strip_prefix("0x").is_some_and(|digits| digits.chars().all(|digit| digit.is_ascii_hexdigit()));
    let is_uuid = key.len() == 36 && key.chars().filter(|letter| *letter == '-').count() == 4;
    is_symbol(key) || is_hex || is_uuid || is_time_text(key) || key.parse::<f64>().is_ok()
}

/// `true` if the keys of objects are field names, and not data such as `1700000000` or the name of an exchange.
pub(super) fn is_record(seen: &Observed) -> bool {
    let has_usual_length = (1..=80).contains(&seen.fields.len());
    let are_names = seen.fields.keys().all(|name| begins_like_a_name(name));
    has_usual_length && are_names && keys_of_data(seen).is_none() && !is_map(seen)
}

fn begins_like_a_name(key: &str) -> bool {
    key.starts_with(|first: char| first.is_alphanumeric() || "_@#$".contains(first))
}

/// `true` if the keys of objects are probably data: most of them look like symbols, or at least three contain objects
/// with the same fields.
fn is_map(seen: &Observed) -> bool {
    let fields = &seen.fields;
    let Some((_, first)) = fields.first() else { return false };
    let symbols = fields.keys().filter(|name| is_symbol(name)).count();
    if symbols * 2 > fields.len() && fields.values().all(|field| field.kinds() == 1 && are_of_same_kind(field, first)) {
        return true;
    }
    let names: BTreeSet<_> = first.fields.keys().collect();
    let are_alike =
        fields.values().all(|field| field.objects > 0 && field.fields.keys().collect::<BTreeSet<_>>() == names);
    fields.len() > 2 && !names.is_empty() && are_alike
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
    let data: Vec<_> = seen.fields.keys().filter(|key| is_number_or_date(key)).collect();
    if data.len() * 2 > seen.fields.len() {
        return data.first().map(|key| format!("`{key}`"));
    }
    let is_shared = seen.objects < 2 || seen.fields.values().any(|field| field.times > 1);
    let mut keys = seen.fields.keys();
    match (keys.next(), keys.next()) {
        (Some(first), Some(second)) if !is_shared => {
            Some(format!("`{first}` and `{second}`, which no two objects share"))
        }
        _ => None,
    }
}

fn is_number_or_date(key: &str) -> bool {
    let date = key.split(['T', 't', ' ']).next().unwrap_or_default();
    key.parse::<f64>().is_ok() || format_of(date).is_some()
}
