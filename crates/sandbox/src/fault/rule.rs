//! The grammar of a rule: `[WHERE] [SHARE] FAULT`.
//!
//! Text is parsed into a [`Rule`], or into an error that marks the wrong word. Other modules parse the fault, and list
//! the words that name targets.

use std::fmt;
use std::str::FromStr;

use runtime::registry::Registry;

use super::fault_target::{self, FaultTarget, RequestParams};
use super::fault_word;
use super::kind::Fault;
use super::rule_error::{RuleError, Word};
use super::share::Share;

/// A rule for a fault on demand: the target, the share of requests, and the fault.
///
/// ```
/// use generated_client_sandbox::Rule;
///
/// let rule: Rule = "/trades 10% status=503".parse()?;
/// # let _ = rule;
/// println!("{}", Rule::GRAMMAR);
/// assert!("/trades 10% statsu=503".parse::<Rule>().is_err());
/// # Ok::<(), generated_client_sandbox::RuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    text: String,
    /// The word that names the target; `None` for all requests.
    pub(super) target: Option<String>,
    pub(super) share: Share,
    pub(super) fault: Fault,
}

impl Rule {
    /// The grammar of rules, as text for users.
    pub const GRAMMAR: &str = "\
A rule is [WHERE] [SHARE] FAULT, for example `/trades 10% status=503`.

WHERE is one of
  all                     every request; the default
  token                   the token endpoint
  /trades                 a path
  market.trades           an endpoint, as the client names it
  market                  a group
  symbol=NONE             requests with this value of a param, as it is sent
SHARE (default: all requests) is one of
  10%                     10 % of the matching requests, at random; the seed determines which
  2x                      the first two matching requests; not for `missing`, `late` and `revised`,
                          whose share is one of records, the same ones in every response
FAULT is one of
  latency=100ms           the response is delayed; latency=50ms..150ms has jitter
  status=503              the response has this status and an error body
  redirect                the response redirects to another host; redirect=URL to a given URL
  malformed               the body is cut after two thirds, but sent as complete
  nulls                   one value of each record is null
  wrong-types             one value of each record has another type
  new-fields              each record and the envelope have one more field
  new-values              fields of named types have an unknown value
  missing                 records are missing
  late=90s                records exist only after this time since the end of their interval
  revised=90s             records have other values until this time since the end of their interval
  trickle=20ms            the body is sent byte by byte, with this pause before each
  gzip-bomb=64MiB         the body begins with this much white space, compressed
  cut=body                the connection closes after the `request`, `head` or half of the `body`
  reset=body              the same, but with a reset; reset=accept resets the connection at once
  stale                   a connection is closed when it is reused
";

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// `true` if the rule selects a request.
    pub(super) fn is_for(&self, target: FaultTarget, params: &RequestParams) -> bool {
        self.target.as_deref().is_none_or(|word| target.is_named(word, params))
    }

    /// Checks that the fault can be limited as the rule does. `last` is the word of the fault.
    fn check_combination(&self, text: &str, last: Word<'_>) -> Result<(), RuleError> {
        if matches!((&self.fault, self.share), (Fault::Record(_), Share::First(_))) {
            let message = format!("`{}` applies to records, not to requests", last.text);
            return Err(RuleError::new(text, last, message, "write a share of records as `10%`"));
        }
        let is_limited = self.target.as_ref().is_some_and(|word| word != "all");
        if self.fault == Fault::ResetAtAccept && is_limited {
            let help = "omit WHERE, because the path is unknown when a connection is accepted";
            return Err(RuleError::new(text, last, "`reset=accept` cannot be limited to some requests", help));
        }
        Ok(())
    }

    /// Returns an error if the target is not in the registry.
    pub(super) fn check(&self, registry: Registry) -> Result<(), RuleError> {
        let Some(word) = &self.target else { return Ok(()) };
        let known = fault_target::words(registry);
        if known.contains(word) || fault_target::is_param(registry, word) {
            return Ok(());
        }
        let message = format!("unknown endpoint, path, group or param `{word}`");
        // The target is the first word of the rule, so its offset is 0.
        let forms = "write `all`, `token`, a path, an endpoint, a group or PARAM=VALUE";
        let meant = wording::did_you_mean(word, known.iter().map(String::as_str));
        let help = meant.unwrap_or_else(|| forms.to_owned());
        Err(RuleError::new(&self.text, Word { start: 0, text: word }, message, help))
    }
}

/// Writes the rule as it was given, without spaces at the ends.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut words = words(text);
        let Some(last) = words.pop() else {
            return Err(RuleError::new(text, Word { start: 0, text }, "missing fault", ""));
        };
        let fault = fault_word::read(last.text).map_err(|(message, help)| RuleError::new(text, last, message, help))?;
        let mut rule = Self { text: text.trim().to_owned(), target: None, share: Share::Part(1.0), fault };
        let mut words = words.into_iter().peekable();
        if let Some(target) = words.next_if(|word| !is_like_a_share(word.text)) {
            rule.target = Some(target.text.to_owned());
        }
        if let Some(word) = words.next() {
            let Some(share) = share(word.text) else {
                let help = "write a share as `10%`, or as `2x` for the first two requests";
                return Err(RuleError::new(text, word, format!("invalid share `{}`", word.text), help));
            };
            rule.share = share;
        }
        if let Some(word) = words.next() {
            return Err(RuleError::new(text, word, "unexpected word", "a rule is [WHERE] [SHARE] FAULT"));
        }
        rule.check_combination(text, last)?;
        Ok(rule)
    }
}

fn words(rule: &str) -> Vec<Word<'_>> {
    rule.split_whitespace().map(|text| Word { start: offset_of(rule, text), text }).collect()
}

/// The byte offset of a piece within its text.
fn offset_of(text: &str, piece: &str) -> usize {
    piece.as_ptr().addr() - text.as_ptr().addr()
}

/// `true` if a word looks like a share, so that it is not parsed as a target.
fn is_like_a_share(word: &str) -> bool {
    word.ends_with('%') || word.ends_with('x') && word.starts_with(|first: char| first.is_ascii_digit())
}

fn share(word: &str) -> Option<Share> {
    if let Some(percent) = word.strip_suffix('%') {
        let percent = percent.parse::<f64>().ok()?;
        return if (0.0..=100.0).contains(&percent) { Some(Share::Part(percent / 100.0)) } else { None };
    }
    let count = word.strip_suffix('x')?.parse().ok()?;
    Some(Share::First(count))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::StatusCode;

    use super::*;
    use crate::fault::Replacement;
    use crate::fault::delivery::{Delivery, Phase};

    #[test]
    fn rule_is_parsed_and_printed() {
        let status = Fault::Replacement(Replacement::Status(StatusCode::SERVICE_UNAVAILABLE));
        let table = [
            ("status=503", Share::Part(1.0), status.clone()),
            (" 12.5%  status=503 ", Share::Part(0.125), status.clone()),
            ("all 3x status=503", Share::First(3), status),
            ("latency=1s", Share::Part(1.0), Fault::Latency(Duration::from_secs(1), Duration::from_secs(1))),
            ("trickle", Share::Part(1.0), Fault::Delivery(Delivery::Trickle(Duration::from_millis(20)))),
            ("gzip-bomb=2KiB", Share::Part(1.0), Fault::Delivery(Delivery::GzipBomb(2048))),
            ("reset=accept", Share::Part(1.0), Fault::ResetAtAccept),
            ("cut", Share::Part(1.0), Fault::Delivery(Delivery::Broken { phase: Phase::Body, reset: false })),
        ];
        for (text, share, fault) in table {
            let rule: Rule = text.parse().unwrap();
            assert_eq!((&rule.share, &rule.fault), (&share, &fault), "{text}");
            assert_eq!(rule.to_string(), text.trim());
        }
    }

    #[test]
    fn error_marks_the_wrong_word() {
        let table = [
            ("", "missing fault\n  |\n  | \n  | ^"),
            (
                "/trades 10% statsu=503",
                "unknown fault `statsu`\n  |\n  | /trades 10% statsu=503\n  |             ^^^^^^^^^^\n  \
                 = help: did you mean `status`?",
            ),
            (
                "all 110% stale",
                "invalid share `110%`\n  |\n  | all 110% stale\n  |     ^^^^\n  \
                 = help: write a share as `10%`, or as `2x` for the first two requests",
            ),
            (
                "all 1% all stale",
                "unexpected word\n  |\n  | all 1% all stale\n  |        ^^^\n  \
                 = help: a rule is [WHERE] [SHARE] FAULT",
            ),
            (
                "token reset=accept",
                "`reset=accept` cannot be limited to some requests\n  |\n  | token reset=accept\n  |       ^^^^^^^^^^^^\n  \
                 = help: omit WHERE, because the path is unknown when a connection is accepted",
            ),
        ];
        for (text, expected) in table {
            assert_eq!(text.parse::<Rule>().unwrap_err().to_string(), expected);
        }
        let table = [
            (
                "2x late",
                "`late` applies to records, not to requests",
                "  |    ^^^^\n  = help: write a share of records as `10%`",
            ),
            ("revised=soon", "invalid value `soon` of `revised`", "revised=90s"),
            ("status", "`status` needs a value", "status=503"),
            ("status=100", "invalid value `100` of `status`", "status=503"),
            ("latency=3..1s", "invalid value `3..1s` of `latency`", "latency=50ms..150ms"),
            ("latency=2s..1s", "invalid value `2s..1s` of `latency`", "latency=100ms"),
            ("latency=2days", "invalid value `2days` of `latency`", "latency=100ms"),
            ("stale=1", "`stale` does not accept a value", "write `stale`"),
            ("cut=accept", "invalid value `accept` of `cut`", "cut=head"),
            ("gzip-bomb=9TiB", "invalid value `9TiB` of `gzip-bomb`", "gzip-bomb=64MiB"),
            ("gzip-bomb=9999GiB", "invalid value `9999GiB` of `gzip-bomb`", "gzip-bomb=64MiB"),
            ("trickle=soon", "invalid value `soon` of `trickle`", "trickle=20ms"),
            ("99999999999999999999x stale", "invalid share", "2x"),
            ("héllo wörld", "unknown fault `wörld`", "  | héllo wörld\n  |       ^^^^^"),
        ];
        for (text, message, more) in table {
            let error = text.parse::<Rule>().unwrap_err().to_string();
            assert!(error.contains(message) && error.contains(more), "{error}");
        }
    }

    #[test]
    fn unknown_targets_are_errors() {
        let check = |text: &str| text.parse::<Rule>().unwrap().check(fault_target::tests::REGISTRY);
        assert_eq!(check("market.trades 1x stale"), Ok(()));
        let expected = "unknown endpoint, path, group or param `/trads`\n  |\n  | /trads stale\n  | ^^^^^^\n  \
                        = help: did you mean `/trades`?";
        assert_eq!(check(" /trads stale").unwrap_err().to_string(), expected);
    }

    #[test]
    fn the_grammar_names_every_fault_and_its_examples_are_rules() {
        for fault in fault_word::NAMES {
            assert!(Rule::GRAMMAR.contains(&format!("\n  {fault}")), "{fault}");
        }
        let lines = Rule::GRAMMAR.lines().filter_map(|line| line.strip_prefix("  "));
        let lines = lines.filter(|line| !line.starts_with(' ')).collect::<Vec<_>>();
        let first_words = lines.iter().map(|line| line.split_whitespace().next().unwrap()).collect::<Vec<_>>();
        let (slots, rest) = first_words.split_at(6);
        let (shares, faults) = rest.split_at(2);
        assert_eq!(faults.len(), fault_word::NAMES.len());
        for (index, fault) in faults.iter().enumerate() {
            let is_of_records = ["missing", "late", "revised"].iter().any(|name| fault.starts_with(name));
            let share = shares[if is_of_records { 0 } else { index % 2 }];
            let rule = format!("{} {share} {fault}", slots[index % slots.len()]);
            assert!(rule.parse::<Rule>().is_ok(), "{rule}");
        }
    }
}
