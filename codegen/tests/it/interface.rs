//! What our catalogue knows of the interface: nothing that was known once is lost.
//!
//! Adding an endpoint or learning a path needs no change here; taking something away does.

use std::path::Path;

use codegen::{File, GroupSummary, Package, Summary};

/// Every endpoint that is known: group, name, and path or `unknown`.
const KNOWN: &str = include_str!("interface.txt");

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

fn emitted() -> Vec<File> {
    let api = codegen::read(&spec()).expect("our catalogue has no finding");
    codegen::emit(&api, &Package::new("client"))
}

#[test]
fn no_endpoint_and_no_path_is_lost() {
    let files = emitted();
    assert_eq!(KNOWN.lines().count(), 108);
    for line in KNOWN.lines() {
        let [group, name, path] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let file = files.iter().find(|file| file.path == format!("{group}.rs")).expect(group);
        let named = file.text.matches(&format!("\"{name}\"")).count();
        assert!(named > 0, "{line}: the name is lost");
        let has_path = file.text.contains(&format!(".path(\"{path}\", Evidence::"));
        assert!(path == "unknown" || has_path, "{line}: the path is lost");
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
    assert!(total.typed >= 62, "{total:?}: fields that were known are lost");
}

#[test]
fn every_documented_path_is_emitted_as_documented() {
    let files = emitted();
    let paths: Vec<_> = DOCUMENTED.split_whitespace().collect();
    assert_eq!(paths.len(), 37);
    for path in paths {
        let expected = format!(".path(\"{path}\", Evidence::Document)");
        let times = files.iter().map(|file| file.text.matches(&expected).count()).sum::<usize>();
        assert_eq!(times, 1, "{path}");
    }
}
