//! What our catalogue knows of the interface: nothing that was known once is lost.
//!
//! Adding an endpoint or learning a body needs no change here; taking something away does.

use std::path::Path;

use codegen::{GroupSummary, Summary};

/// Group, endpoints, those with a path, those with typed records.
const KNOWN: [(&str, usize, usize, usize); 13] = [
    ("catalog", 1, 1, 0),
    ("funding_rate", 1, 1, 1),
    ("global_metrics", 29, 7, 0),
    ("liquidity", 14, 11, 7),
    ("longs_shorts", 15, 15, 7),
    ("open_interest", 3, 2, 2),
    ("options", 2, 2, 0),
    ("orderbook", 10, 10, 2),
    ("orderflow", 21, 21, 8),
    ("position_heatmap", 1, 1, 0),
    ("profile_tool", 1, 0, 0),
    ("sentiment", 8, 7, 2),
    ("system", 2, 2, 0),
];

/// The paths that the interface document prints.
const DOCUMENTED: &str = "
    /topTraderAccounts /topTraderPositions /anchoredTopTraderAccounts /anchoredTopTraderPositions /globalAccounts
    /anchoredGlobalAccounts /netLongShort /netLongShortDelta /anchoredCLS /anchoredCLSD /whaleRetailDelta
    /anchoredWhaleRetailDelta /whalePositionDominance /trueRetailLongShort /traderSentimentGap /buyVolume /sellVolume
    /volumeDelta /volumeRatio /anchoredCVD /marketOrderCount /marketOrderAverageSize /limitOrderCount
    /limitOrderAverageSize /buySellTradeCountRatio /limitOrderCountRatio /marketOrderCountRatio /botTracker /slippage
    /transferOfContracts /participationRatio /exchangePremium /pdLevels /pwLevels /pmLevels /averageLeverageUsed
    /marginLendingRatio
";

fn spec() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec")
}

#[test]
fn no_group_and_no_endpoint_is_lost() {
    let summary = Summary::of(&codegen::read(&spec()).expect("our catalogue has no finding"));
    for (name, endpoints, with_path, typed) in KNOWN {
        let group = summary.groups.iter().find(|group| group.name == name).expect(name);
        assert!(group.endpoints >= endpoints, "{name} has {} endpoints", group.endpoints);
        assert!(group.with_path >= with_path, "{name} has {} endpoints with a path", group.with_path);
        assert!(group.typed >= typed, "{name} has {} endpoints with typed records", group.typed);
    }
}

#[test]
fn the_numbers_add_up() {
    let summary = Summary::of(&codegen::read(&spec()).expect("our catalogue has no finding"));
    for GroupSummary { name, endpoints, with_path, typed, untyped_series, unknown_body, by_name_only } in
        summary.groups.iter().chain([&summary.total()])
    {
        assert_eq!(*endpoints, with_path + by_name_only, "{name}");
        assert_eq!(*with_path, typed + untyped_series + unknown_body, "{name}");
    }
    let printed = summary.to_string();
    let total = summary.total();
    let last = printed.lines().last().expect("a line").split_whitespace().collect::<Vec<_>>();
    assert_eq!(last[..3], ["total", &total.endpoints.to_string(), &total.with_path.to_string()]);
}

#[test]
fn every_documented_path_is_emitted_as_documented() {
    let files = codegen::emit(&codegen::read(&spec()).expect("our catalogue has no finding"));
    let paths: Vec<_> = DOCUMENTED.split_whitespace().collect();
    assert_eq!(paths.len(), 37);
    for path in paths {
        let expected = format!(".path(\"{path}\", Evidence::Document)");
        let times = files.iter().map(|file| file.text.matches(&expected).count()).sum::<usize>();
        assert_eq!(times, 1, "{path}");
    }
}
