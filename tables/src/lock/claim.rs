//! What a job claims, and whose claim it is, as a line of text that another job can read.
//!
//! Nothing here opens a file.

use std::{env, fmt, fs, process};

use runtime::{Timestamp, Value};
use serde_json::json;

use crate::shard::Shard;

/// What a job is about to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    /// The paths of the series.
    pub(crate) series: Vec<String>,
    pub(crate) shard: Shard,
    /// Whether no other job may write anything there, as with one file of all series.
    pub(crate) is_sole: bool,
}

/// A claim of another job; `None` if the text was written by another version.
#[derive(Debug)]
pub(super) struct Holder {
    claim: Option<Claim>,
    who: String,
}

impl Claim {
    /// The claim and its owner, for others to read.
    pub(super) fn written(&self) -> String {
        let Self { series, shard, is_sole } = self;
        json!({
            "process": process::id(),
            "host": host(),
            "since": Timestamp::from_unix_seconds(Timestamp::now().unix_seconds()).to_string(),
            "shard": shard.to_string(),
            "sole": is_sole,
            "series": series,
        })
        .to_string()
    }

    fn overlaps(&self, other: &Self) -> bool {
        let is_apart = self.shard.of() == other.shard.of() && self.shard.index() != other.shard.index();
        self.is_sole || other.is_sole || !is_apart && self.series.iter().any(|series| other.series.contains(series))
    }
}

impl Holder {
    pub(super) fn read(text: &str) -> Self {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let text = |name: &str| value.get(name).and_then(Value::as_str);
        let process = value.get("process").and_then(Value::as_u64);
        let process = process.map_or("another process".to_owned(), |number| format!("process {number}"));
        let host = text("host").map(|host| format!(" on `{host}`")).unwrap_or_default();
        let since = text("since").map(|since| format!(", since {since}")).unwrap_or_default();
        Self { claim: claim(&value), who: format!("{process}{host}{since}") }
    }

    /// Whether both would write the same; a claim that cannot be read may claim anything.
    pub(super) fn overlaps(&self, claim: &Claim) -> bool {
        self.claim.as_ref().is_none_or(|held| held.overlaps(claim))
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.who)
    }
}

fn claim(value: &Value) -> Option<Claim> {
    let series = value.get("series")?.as_array()?.iter().map(|path| path.as_str().map(str::to_owned));
    let shard = value.get("shard")?.as_str()?.parse().ok()?;
    Some(Claim { series: series.collect::<Option<_>>()?, shard, is_sole: value.get("sole")?.as_bool()? })
}

/// The machine's name, where that can be learned without unsafe code.
fn host() -> Option<String> {
    let told = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let told = told.or_else(|| env::var("COMPUTERNAME").ok()).or_else(|| env::var("HOSTNAME").ok())?;
    Some(told.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(series: &[&str], shard: &str) -> Claim {
        let series = series.iter().map(|path| (*path).to_owned()).collect();
        Claim { series, shard: shard.parse().unwrap(), is_sole: false }
    }

    #[test]
    fn claims_overlap_where_both_would_write_the_same() {
        for (one, other, overlaps) in [
            (claim(&["a", "b"], "1/1"), claim(&["b"], "1/1"), true),
            (claim(&["a"], "1/1"), claim(&["b"], "1/1"), false),
            (claim(&["a"], "1/4"), claim(&["a"], "2/4"), false),
            (claim(&["a"], "1/4"), claim(&["a"], "1/4"), true),
            (claim(&["a"], "1/4"), claim(&["a"], "2/3"), true),
            (claim(&["a"], "1/4"), claim(&["a"], "1/1"), true),
            (claim(&["a"], "1/1"), Claim { is_sole: true, ..claim(&["b"], "1/1") }, true),
        ] {
            assert_eq!(one.overlaps(&other), overlaps, "{one:?} {other:?}");
            assert_eq!(Holder::read(&other.written()).overlaps(&one), overlaps, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_claim_says_whose_it_is() {
        let holder = Holder::read(r#"{"process":7,"host":"box","since":"2026-01-02T03:04:05Z"}"#);
        assert_eq!(holder.to_string(), "process 7 on `box`, since 2026-01-02T03:04:05Z");
        // Of another version.
        assert!(holder.overlaps(&claim(&["a"], "1/1")));
        assert_eq!(Holder::read("").to_string(), "another process");
    }
}
