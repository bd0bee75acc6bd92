//! Tests of the command `report`.

use generated_client::SERVICE;
use generated_client::registry::BodyInfo;
use test_endpoints::{endpoints, metric, option, values};

use crate::backfill::backfill;
use crate::support::{self, run};

#[test]
fn the_page_has_a_chart_of_each_series_and_escapes_text() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.parquet");
    let page = folder.path().join("report.html");
    let mut series = metric().hourly();
    let unusual_key = "<b>X&";
    for word in &mut series {
        if *word == metric().keys[0] {
            *word = unusual_key;
        }
    }
    assert!(series.contains(&unusual_key), "{series:?}");
    let range = ["2025-01-01", "2025-01-03"];
    assert_eq!(run(&backfill(&series, range, &data, &["--sandbox"])).code, Some(0));
    let written = run(&["report", support::text(&data), "--out", support::text(&page)]);
    assert_eq!((written.code, written.out.as_str()), (Some(0), ""), "{}", written.err);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("48 records from 2025-01-01 00:00 to 2025-01-02 23:00"), "{html}");
    assert!(html.contains("<svg "), "{html}");
    assert_eq!(html.matches("<svg ").count(), html.matches("<path d=\"M").count(), "{html}");
    assert!(!html.contains("<b>X") && html.contains("b&#62;X&#38;"), "{html}");
    // The page is complete without a network.
    assert!(!html.contains("http") && !html.contains("<script"), "{html}");
}

/// An endpoint with a history whose records have unknown fields, as arguments with all required params.
fn without_fields() -> Option<Vec<&'static str>> {
    for endpoint in endpoints() {
        let required: Vec<_> = endpoint.params().filter(|param| param.required.is_some()).collect();
        let is_unknown = matches!(endpoint.body, BodyInfo::Series { record: None, .. });
        if is_unknown && endpoint.history(&SERVICE).is_some() && required.iter().all(|param| values(param).count() > 0)
        {
            let mut args = vec![endpoint.ident];
            args.extend(required.iter().flat_map(|param| [option(param.wire_name), values(param).next().unwrap()]));
            return Some(args);
        }
    }
    None
}

#[test]
fn records_with_unknown_fields_have_no_figures_for_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.parquet");
    let path = support::text(&data);
    // A catalogue can list the fields of all records.
    let Some(series) = without_fields() else { return };
    let why = format!("the catalogue lists no fields of the records of {}", series[0]);
    assert_eq!(run(&backfill(&series, ["2025-01-01", "2025-01-03"], &data, &["--sandbox"])).code, Some(0));
    let report = run(&["report", path]);
    assert!(report.code == Some(0) && report.err.contains(&format!("no figures: {why}")), "{}", report.err);
    let plot = run(&["plot", path]);
    assert!(plot.code == Some(6) && plot.err.contains(&format!("no chart: {why}")), "{}", plot.err);
}

#[test]
fn a_range_without_numbers_is_named_beside_an_endpoint_with_unknown_fields() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for series in [metric().hourly(), without_fields().unwrap()] {
        let written = run(&backfill(&series, ["2025-01-01", "2025-01-03"], &data, &["--sandbox"]));
        assert_eq!(written.code, Some(0), "{}", written.err);
    }
    let plot = run(&["plot", support::text(&data), "--from", "2025-02-01", "--to", "2025-02-03"]);
    assert!(plot.code == Some(6) && plot.err.contains("no chart: the range has no numbers"), "{}", plot.err);
}

#[test]
fn a_rejected_series_is_in_the_totals() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let metric = metric();
    let rejected = metric.keys[1];
    let fault = format!("{}={rejected} status=404", metric.key.wire_name);
    let options = ["--sandbox", "--fault", &fault];
    assert_eq!(run(&backfill(&metric.two_hourly(), ["2025-01-01", "2025-01-03"], &data, &options)).code, Some(5));
    assert_eq!(run(&["status", support::text(&data)]).code, Some(6));
    let report = run(&["report", support::text(&data)]);
    let totals = report.out.lines().next().unwrap();
    assert!(report.code == Some(0) && totals.contains(" 1 rejected (") && totals.contains(rejected), "{}", report.out);
    let report = run(&["report", support::text(&data), "--json"]);
    let object: serde_json::Value = report.out.parse().unwrap();
    let mut reasons = Vec::new();
    for series in object["series"].as_array().unwrap() {
        reasons.push(series["rejected"].as_str().unwrap_or_default());
    }
    let reason = reasons.iter().find(|reason| !reason.is_empty()).unwrap();
    assert!(reasons.len() == 2 && reasons.contains(&"") && reason.contains("status 404"), "{reasons:?}");
}

#[test]
fn a_page_is_written_as_html_only() {
    let folder = tempfile::tempdir().unwrap();
    let refused = run(&["report", "data.parquet", "--out", support::text(&folder.path().join("report.pdf"))]);
    assert!(refused.code == Some(2) && refused.err.contains("written as .html files"), "{}", refused.err);
}
