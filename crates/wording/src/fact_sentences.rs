//! Sentences about the facts of a param or a field.

/// Facts about a param or a field. Each of them becomes a sentence, unless it is missing or empty.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The unit of the value, for example `percent`.
    pub unit: &'a str,
    /// The minimum and the maximum of the value.
    pub range: [Option<f64>; 2],
    /// The time zone of times without an offset.
    pub zone: Option<&'a str>,
    /// Other names of the field on the wire.
    pub also_named: Vec<&'a str>,
    /// Earlier names of the param on the wire.
    pub earlier_names: Vec<&'a str>,
    /// The source of the param or field. A documented fact is stated without its source.
    pub source: &'a str,
    /// The source of the fact that the param is required.
    pub required: Option<&'a str>,
    /// The values of its type.
    pub values: Vec<&'a str>,
    /// `true` if the type accepts other values too.
    pub is_open: bool,
    /// The value that every request sends.
    pub const_value: Option<&'a str>,
    /// The value that the service uses if the param is omitted.
    pub default: Option<&'a str>,
    /// The source of the fact that only one value is accepted.
    pub single_value: Option<&'a str>,
    /// The only values that worked for public clients.
    pub allowed_values: Vec<&'a str>,
    /// Values that are known to work.
    pub tested_values: Vec<&'a str>,
    /// Values that the service is known to reject.
    pub rejected_values: Vec<&'a str>,
    /// An example, which is omitted if it is an allowed or a tested value.
    pub example: Option<&'a str>,
    /// The facts that are undocumented.
    pub unknown: Vec<&'a str>,
}

impl Facts<'_> {
    /// Returns the sentences, separated by spaces. `code` formats a value, and `prose` formats text of the catalogue.
    pub fn sentences(&self, code: fn(&str) -> String, prose: fn(&str) -> String) -> String {
        let mut sentences = Sentences { code, texts: Vec::new() };
        sentences.texts.extend(self.value(prose));
        if let Some(source) = self.required {
            sentences.texts.push(sourced("Required", source));
        }
        sentences.add_list(if self.is_open { "Known values:" } else { "Values:" }, &self.values);
        sentences.add_value("Times without an offset are in the zone", self.zone);
        sentences.add_list("Also sent by the service as", &self.also_named);
        sentences.add_list("Earlier named", &self.earlier_names);
        sentences.add_value("Always sent as", self.const_value);
        sentences.add_value("Default:", self.default);
        if let Some(source) = self.single_value {
            sentences.texts.push(sourced("Accepts one value", source));
        }
        sentences.add_list("Only these values worked for public clients:", &self.allowed_values);
        sentences.add_list("Works with", &self.tested_values);
        sentences.add_list("Fails with", &self.rejected_values);
        sentences.add_value("Example:", self.unlisted_example());
        if !self.unknown.is_empty() {
            let unknown: Vec<_> = self.unknown.iter().map(|fact| prose(fact)).collect();
            sentences.texts.push(format!("Undocumented: {}.", unknown.join("; ")));
        }
        sentences.texts.join(" ")
    }

    /// The example, unless a sentence already lists it.
    fn unlisted_example(&self) -> Option<&str> {
        let example = self.example?;
        let is_listed = self.allowed_values.contains(&example) || self.tested_values.contains(&example);
        if is_listed { None } else { Some(example) }
    }

    /// A sentence with unit, range and source, such as "In percent, from 0 to 100, reported."
    fn value(&self, prose: fn(&str) -> String) -> Option<String> {
        let mut facts = Vec::new();
        if !self.unit.is_empty() {
            facts.push(format!("in {}", prose(self.unit)));
        }
        match self.range {
            [Some(min), Some(max)] => facts.push(format!("from {min} to {max}")),
            [Some(min), None] => facts.push(format!("at least {min}")),
            [None, Some(max)] => facts.push(format!("at most {max}")),
            [None, None] => {}
        }
        if !self.source.is_empty() && self.source != DOCUMENTED {
            facts.push(self.source.to_owned());
        }
        let facts = facts.join(", ");
        let (first, rest) = facts.split_at_checked(1)?;
        Some(format!("{}{rest}.", first.to_uppercase()))
    }
}

/// The sentences about a param or a field.
struct Sentences {
    /// Formats a value.
    code: fn(&str) -> String,
    texts: Vec<String>,
}

impl Sentences {
    fn add_value(&mut self, words: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.texts.push(format!("{words} {}.", (self.code)(value)));
        }
    }

    fn add_list(&mut self, words: &str, values: &[&str]) {
        if !values.is_empty() {
            let values: Vec<_> = values.iter().map(|value| (self.code)(value)).collect();
            self.texts.push(format!("{words} {}.", enumerated(&values, "and")));
        }
    }
}

/// The label of facts in the API document.
const DOCUMENTED: &str = "documented";

fn sourced(fact: &str, source: &str) -> String {
    if source == DOCUMENTED { format!("{fact}.") } else { format!("{fact} ({source}).") }
}

/// Joins words as in "a, b and c"; the last one follows a conjunction.
pub fn enumerated(words: &[impl AsRef<str>], conjunction: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((last, others @ [_, ..])) => format!("{} {conjunction} {last}", others.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_range_and_source_form_one_sentence() {
        for (unit, range, source, expected) in [
            ("percent", [Some(0.0), Some(100.0)], "reported", "In percent, from 0 to 100, reported."),
            ("", [Some(1.0), None], "documented", "At least 1."),
            ("", [None, None], "documented", ""),
            ("USD", [None, None], "published", "In USD, published."),
        ] {
            let facts = Facts { unit, range, source, ..Facts::default() };
            assert_eq!(facts.sentences(str::to_owned, str::to_owned), expected);
        }
    }

    #[test]
    fn an_example_is_stated_unless_it_is_a_listed_value() {
        let facts = |example| Facts { example: Some(example), tested_values: vec!["a", "b", "c"], ..Facts::default() };
        let sentences = |example| facts(example).sentences(|value| format!("`{value}`"), str::to_owned);
        assert_eq!(sentences("b"), "Works with `a`, `b` and `c`.");
        assert_eq!(sentences("d"), "Works with `a`, `b` and `c`. Example: `d`.");
    }
}
