//! Finds a summary that only repeats a name. Such a summary should say more, or be omitted.

use std::collections::HashSet;

use heck::ToSnakeCase;

/// Words that add nothing to a name.
const FILLERS: &str = "a all an and are as at be by each every for from how in is it its like metric name number of on one \
                       or other over per record some that the their these this to value what when where which with";

/// Returns `true` if all words of a summary are words of the name, or words that add nothing.
pub fn repeats_name(summary: &str, name: &str) -> bool {
    let known: HashSet<_> = words(name).into_iter().chain(words(FILLERS)).collect();
    words(summary).iter().all(|word| known.contains(word))
}

/// Splits a text or a name into words, in lower case and without endings such as a plural `s`.
fn words(text: &str) -> Vec<String> {
    let stem = |word: &str| {
        let ending = ["ed", "ing", "es", "s", "e"].into_iter().find_map(|ending| word.strip_suffix(ending));
        ending.filter(|stem| !stem.is_empty()).unwrap_or(word).to_owned()
    };
    text.to_snake_case().split('_').map(stem).collect()
}

#[cfg(test)]
mod tests {

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
  - {name: limit, type: count, summary: Maximum number of records.}
  body:
    series:
    - {name: lastPrice, type: number, summary: Prices that are last.}
    - {name: size, type: number}
";
        let service = "title: A\nversion: v1\nenv_prefix: A\ntime: {unit: seconds, evidence: documented}\n";
        let catalogue = crate::load_texts(&[("service.yaml", service), ("market.yaml", GROUP)]);
        let errors = crate::check(&catalogue).expect_err("errors").to_string();
        for name in ["Buy Volume", "lastPrice"] {
            assert!(errors.contains(&format!("the summary of `{name}` only repeats the name")), "{errors}");
        }
        assert_eq!(errors.matches("error[").count(), 2, "{errors}");
        assert!(crate::resolve(&catalogue).is_ok(), "a catalogue may contain them during an edit");
    }
}
