//! The examples in help set the params without which a request returns other data than users expect.

use crate::{HOURLY_SERVICE, project_with, run, text};

const PRICES: &str = "\
title: Prices
summary: Prices.
endpoints:
- name: Prices
  path: /prices
  evidence: documented
  summary: The price at each time.
  params:
  - {name: venue, type: Venue, list_setter: venues, tested_values: [north, south], in_examples: true, summary: The venue.}
  - {name: coin, type: Coin, required: reported, example: A, summary: The coin.}
  - {name: side, type: string, example: bid, summary: The side.}
  - start
  - end
  body: {time: t, series: [{name: t, type: timestamp, summary: The time.}, {name: price, type: number, summary: The price.}]}
";

const TYPES: &str = "\
types:
- name: Venue
  kind: identifier
  summary: A venue.
  evidence: documented
  values: [{value: east, summary: East.}, {value: north, summary: North.}, {value: south, summary: South.}]
- name: Coin
  kind: identifier
  summary: A coin.
  evidence: documented
  values: [{value: A, summary: A.}, {value: B, summary: B.}]
";

#[test]
fn examples_set_the_params_that_the_catalogue_marks() {
    let service = format!("{HOURLY_SERVICE}{TYPES}");
    let project = project_with("examples", &[("service.yaml", &service), ("prices.yaml", PRICES)]);
    let output = |arguments: &[&str]| text(&run(&project, arguments).stdout);

    let page = output(&["describe", "prices"]);
    assert!(page.contains("get prices --venue north --coin A --sandbox"), "{page}");
    // The coins are combined, because a request needs one.
    for command in ["get", "backfill", "poll", "plot"] {
        let help = output(&[command, "--help"]);
        assert!(help.contains(&format!("{command} prices --venue north --coin A,B")), "{help}");
    }
    let help = output(&["backfill", "--help"]);
    assert!(help.contains("\n  venue = [\"north\"]\n  coin = [\"A\", \"B\"]"), "{help}");
}
