//! Tests that the running time of the generator is proportional to the number of errors, and to the length of a chain
//! of records. This matters because an import of thousands of endpoints can cause thousands of errors at once.

use std::fmt::Write;
use std::time::{Duration, Instant};

const SERVICE: &str = include_str!("../cases/service.yaml");

/// Returns a group file with the text `head`, followed by the result of `each` for `count` indices.
fn group(count: usize, head: &str, each: impl Fn(usize) -> String) -> String {
    let mut text = format!("title: Market\nsummary: The market.\n{head}\n");
    (0..count).for_each(|index| writeln!(text, "{}", each(index)).expect("memory"));
    text
}

fn endpoint(name: &str, path: &str, params: &str, body: &str) -> String {
    format!("- {{name: {name}, path: {path}, evidence: documented, summary: S., params: [{params}], body: {body}}}")
}

/// Checks a group, then formats its errors or emits its files. Returns the elapsed time, and the number of errors or
/// files.
fn time(group: &str) -> (Duration, usize) {
    let start = Instant::now();
    let catalogue = catalogue::load_texts(&[("market.yaml", group), ("service.yaml", SERVICE)]);
    let errors = match catalogue::check(&catalogue) {
        Ok(api) => codegen::emit(&api, &codegen::Package::new("client")).len(),
        Err(errors) => {
            assert!(errors.render("spec/", false).len() > errors.as_slice().len());
            errors.as_slice().len()
        }
    };
    (start.elapsed(), errors)
}

/// Compares the time for a group with the time for a group of a tenth of its size. The test fails if the large group
/// takes more than 40 times as long.
fn check(what: &str, count: usize, group: impl Fn(usize) -> String) {
    let (small, large) = (group(count / 10), group(count));
    // There are three attempts, because another program can slow down one attempt. With a quadratic algorithm, the
    // large group takes 100 times as long in every attempt.
    let tried = (0..3).map(|_| (time(&small), time(&large)));
    let slow: Vec<_> = tried.take_while(|((small, _), (large, _))| *large >= *small * 40).collect();
    assert!(slow.len() < 3, "{what}: {slow:?}");
}

#[test]
fn time_grows_linearly_with_errors() {
    check("unknown keys", 3_000, |count| group(count, "endpoints: []", |index| format!("color{index}: red")));
    check("unknown names", 3_000, |count| {
        group(count, "endpoints:", |index| {
            endpoint(&format!("E{index}"), &format!("/e{index}"), &format!("p{index}"), "unknown")
        })
    });
    check("duplicate names", 3_000, |count| {
        group(count, "endpoints:", |index| endpoint(&format!("E{}", index % (count / 2)), "/same", "", "unknown"))
    });
    check("unknown names among many", 3_000, |count| {
        let records =
            (0..count).map(|index| format!("- {{name: R{index}, summary: S., evidence: documented, fields: []}}\n"));
        let head = format!("records:\n{}endpoints:", records.collect::<String>());
        group(count, &head, |index| {
            endpoint(&format!("E{index}"), &format!("/e{index}"), "", &format!("{{series: S{index}}}"))
        })
    });
    check("errors on one line", 3_000, |count| {
        group(count, "endpoints: [", |index| {
            endpoint(&format!("E{index}"), "x", "", "unknown").trim_start_matches("- ").to_owned() + ","
        })
        .replace("[\n", "[")
        .replace(",\n", ", ")
            + "]\n"
    });
}

#[test]
fn time_grows_linearly_with_chain_length() {
    let record = |index: usize, next: usize| {
        format!(
            "- {{name: R{index}, summary: S., evidence: documented, fields: [{{name: next, type: R{next}, summary: S.}}]}}"
        )
    };
    let end =
        "\nendpoints:\n- {name: E, path: /e, evidence: documented, summary: S., params: [], body: {object: R0}}\n";
    check("a cycle of records", 3_000, |count| {
        group(count, "records:", |index| record(index, (index + 1) % count)) + end
    });
    check("a chain of records", 3_000, |count| {
        let last = format!("- {{name: R{count}, summary: S., evidence: documented, fields: []}}");
        group(count, "records:", |index| record(index, index + 1)) + &last + end
    });
}
