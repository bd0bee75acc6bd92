//! Writes records to a Parquet file, with a backfill of ours, or with a program as a user would write it, with
//! plain `serde` derives and `arrow` and without checks, journal or state (`raw`).
//!
//! `backfill FIELDS PERCENT ours|raw|none` reads responses that are made in the same process, whose records have a time
//! and this number of fields, of which this percentage is present. With `none`, the responses are only made, so that
//! callgrind can count the instructions of the rest. `backfill FIELDS PERCENT records` prints the number of records.
//! `backfill requests` prints the requests of a plan and of its run, for 300 series in a data set with a file for each day.
//! `backfill serve` prints the address of a server, `backfill download URL FIELDS FILE` downloads a year of minutes from
//! it, and `backfill series COUNT FILE` writes a year of hours of this many series, with responses that are made in the
//! same process.

mod ours;
mod raw;
mod responses;
mod serve;

use std::hint::black_box;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (fields, percent, side) = match arguments[..] {
        ["requests"] => return runtime().block_on(ours::requests(folder.path())),
        ["serve"] => return serve::serve(),
        ["download", url, fields, file] => {
            let fields = fields.parse().expect("a number of fields");
            return runtime().block_on(ours::download(url, fields, Path::new(file)));
        }
        ["series", count, file] => {
            let count = count.parse().expect("a number of series");
            return runtime().block_on(ours::write_series(count, Path::new(file)));
        }
        [fields, percent, side] => (fields, percent, side),
        _ => panic!("expected the number of fields, the percentage that is present, and ours, raw or none"),
    };
    let shape = responses::Shape {
        fields: fields.parse().expect("a number of fields"),
        percent: percent.parse().expect("a percentage"),
    };
    match side {
        "ours" => runtime_without_time().block_on(ours::backfill(shape, folder.path())),
        "raw" => raw::backfill(shape, folder.path()),
        "records" => println!("{}", shape.records()),
        _ => {
            for page in shape.pages() {
                black_box(shape.body(page));
            }
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Returns a runtime whose clock stands still. A backfill writes rows when they have a certain age, so that the
/// instructions would depend on the speed of the machine.
fn runtime_without_time() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("a runtime")
}
