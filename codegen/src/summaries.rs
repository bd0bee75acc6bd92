//! Finds summaries that only repeat a name. Such a summary should say more, or be omitted.

use std::collections::HashSet;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::load::Catalogue;
use crate::spanned::Text;
use crate::spec::{Field, Fields, Known, ParamEntry};

/// Words that add nothing to a name.
const FILLERS: &str = "a all an and are as at be by each every for from how in is it its like metric name number of on one \
                       or other over per record some that the their these this to value what when where which with";

/// Returns an error for each summary of an endpoint, param, field, record or type that only repeats the name.
pub fn repeated_names(catalogue: &Catalogue) -> Diagnostics {
    let mut errors = Diagnostics::default();
    let mut check = |name: &Text, summary: &str| {
        let known: HashSet<_> = words(name).chain(words(FILLERS)).collect();
        if !summary.is_empty() && words(summary).all(|word| known.contains(&word)) {
            let message = format!("the summary of `{}` only repeats the name", name.as_str());
            let error = Diagnostic::new("summary-repeats-name", name.at(), message);
            errors.push(error.help("say what the name does not, or omit the summary"));
        }
    };
    let service = catalogue.service.iter().map(|document| &document.spec);
    for service in service.clone() {
        for ty in &service.types {
            check(&ty.name, &ty.summary);
        }
        for param in &service.params {
            check(&param.name, &param.summary);
        }
    }
    let groups = catalogue.groups.iter().map(|document| &document.spec);
    let records = service.flat_map(|service| &service.records).chain(groups.clone().flat_map(|group| &group.records));
    let check_fields = |check: &mut dyn FnMut(&Text, &str), fields: &[Field]| {
        for field in fields {
            check(&field.name, &field.summary);
        }
    };
    for record in records {
        check(&record.name, &record.summary);
        check_fields(&mut check, &record.fields);
    }
    for endpoint in groups.flat_map(|group| &group.endpoints) {
        check(&endpoint.name, &endpoint.summary);
        let params = if let Known::Known(params) = &endpoint.params { params.as_slice() } else { &[] };
        for param in params {
            if let ParamEntry::Own(param) = param {
                check(&param.name, &param.summary);
            }
        }
        let Known::Known(body) = &endpoint.body else { continue };
        for fields in [&body.series, &body.object] {
            if let Some(Known::Known(Fields::Inline(fields))) = fields {
                check_fields(&mut check, fields);
            }
        }
    }
    errors.sorted()
}

/// Splits a text or a name into words, in lower case and without endings such as a plural `s`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    let mut was_lower = false;
    for character in text.chars() {
        if character.is_uppercase() && was_lower || !character.is_alphanumeric() {
            spaced.push(' ');
        }
        was_lower = character.is_lowercase();
        spaced.extend(character.to_lowercase().filter(|character| character.is_alphanumeric()));
    }
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let stem = |word: String| {
        let ending = ["ed", "ing", "es", "s", "e"].into_iter().find_map(|ending| word.strip_suffix(ending));
        ending.filter(|stem| !stem.is_empty()).map_or(word.clone(), str::to_owned)
    };
    words.into_iter().map(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_that_repeats_a_name_is_an_error() {
        const GROUP: &str = "\
title: Market
summary: The market.
endpoints:
- name: Buy Volume
  path: /buyVolume
  evidence: documented
  summary: The volume of buys.
  params:
  - {name: limit, type: count, summary: Maximum number of records., evidence: documented}
  body:
    series:
    - {name: lastPrice, type: number, summary: Prices that are last.}
    - {name: size, type: number}
";
        let errors = repeated_names(&crate::load_texts(&[("market.yaml", GROUP)])).to_string();
        for name in ["Buy Volume", "lastPrice"] {
            assert!(errors.contains(&format!("the summary of `{name}` only repeats the name")), "{errors}");
        }
        assert_eq!(errors.matches("error[").count(), 2, "{errors}");
    }
}
