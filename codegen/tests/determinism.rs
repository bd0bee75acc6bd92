//! The output is a function of the catalogue alone.

#![expect(clippy::expect_used, reason = "a test that fails may panic")]

use std::path::Path;

fn texts() -> Vec<(String, String)> {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let entries = std::fs::read_dir(spec).expect("the catalogue");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let yaml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.map(|path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("text"))
    })
    .collect()
}

fn check(texts: &[(String, String)]) -> Vec<codegen::File> {
    let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let checked = codegen::check(codegen::load_texts(&texts)).expect("our catalogue has no finding");
    codegen::emit(&codegen::lower(&checked))
}

#[test]
fn neither_order_nor_repetition_matters() {
    let mut texts = texts();
    texts.sort();
    let files = check(&texts);
    texts.reverse();
    assert_eq!(check(&texts), files);
    texts.rotate_left(5);
    assert_eq!(check(&texts), files);
}

/// How much of the interface the catalogue knows. Who adds an endpoint or learns a body changes a number here.
#[test]
fn the_numbers_of_our_catalogue() {
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec");
    let summary = codegen::Summary::of(&codegen::read(&spec).expect("our catalogue has no finding"));
    let expected = "\
group             endpoints  with path  typed  untyped  body unknown  by name only
catalog                   1          1      0        0             1             0
funding_rate              1          1      1        0             0             0
global_metrics           29          7      0        7             0            22
liquidity                14         11      7        3             1             3
longs_shorts             15         15      7        8             0             0
open_interest             3          2      2        0             0             1
options                   2          2      0        2             0             0
orderbook                10         10      2        8             0             0
orderflow                21         21      8       13             0             0
position_heatmap          1          1      0        0             1             0
profile_tool              1          0      0        0             0             1
sentiment                 8          7      2        5             0             1
system                    2          2      0        0             2             0
total                   108         80     29       46             5            28
";
    assert_eq!(summary.to_string(), expected);
}
