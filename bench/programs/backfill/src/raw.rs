//! The program that a user would write: plain derives, columns of `arrow`, and one Parquet file.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde::Deserialize;

use crate::responses::Shape;

#[derive(Deserialize)]
struct Envelope<T> {
    data: Vec<T>,
}

/// A record with a time and numbers.
trait Numbers: for<'d> Deserialize<'d> {
    fn time(&self) -> i64;
    fn number(&self, index: usize) -> Option<f64>;
}

macro_rules! record {
    ($name:ident: $($index:literal $field:ident)*) => {
        #[derive(Deserialize)]
        struct $name {
            #[serde(rename = "openDate")]
            time: i64,
            $($field: Option<f64>,)*
        }

        impl Numbers for $name {
            fn time(&self) -> i64 {
                self.time
            }

            fn number(&self, index: usize) -> Option<f64> {
                match index {
                    $($index => self.$field,)*
                    _ => None,
                }
            }
        }
    };
}

record! { One:
    0 f0
}

record! { Four:
    0 f0 1 f1 2 f2 3 f3
}

record! { Thirty:
    0 f0 1 f1 2 f2 3 f3 4 f4 5 f5 6 f6 7 f7 8 f8 9 f9 10 f10 11 f11 12 f12 13 f13 14 f14 15 f15 16 f16 17 f17
    18 f18 19 f19 20 f20 21 f21 22 f22 23 f23 24 f24 25 f25 26 f26 27 f27 28 f28 29 f29
}

record! { Hundred:
    0 f0 1 f1 2 f2 3 f3 4 f4 5 f5 6 f6 7 f7 8 f8 9 f9 10 f10 11 f11 12 f12 13 f13 14 f14 15 f15 16 f16 17 f17
    18 f18 19 f19 20 f20 21 f21 22 f22 23 f23 24 f24 25 f25 26 f26 27 f27 28 f28 29 f29 30 f30 31 f31 32 f32
    33 f33 34 f34 35 f35 36 f36 37 f37 38 f38 39 f39 40 f40 41 f41 42 f42 43 f43 44 f44 45 f45 46 f46 47 f47
    48 f48 49 f49 50 f50 51 f51 52 f52 53 f53 54 f54 55 f55 56 f56 57 f57 58 f58 59 f59 60 f60 61 f61 62 f62
    63 f63 64 f64 65 f65 66 f66 67 f67 68 f68 69 f69 70 f70 71 f71 72 f72 73 f73 74 f74 75 f75 76 f76 77 f77
    78 f78 79 f79 80 f80 81 f81 82 f82 83 f83 84 f84 85 f85 86 f86 87 f87 88 f88 89 f89 90 f90 91 f91 92 f92
    93 f93 94 f94 95 f95 96 f96 97 f97 98 f98 99 f99
}

pub(crate) fn backfill(shape: Shape, folder: &Path) {
    match shape.fields {
        1 => write::<One>(shape, folder),
        4 => write::<Four>(shape, folder),
        30 => write::<Thirty>(shape, folder),
        100 => write::<Hundred>(shape, folder),
        _ => panic!("the program knows records of 1, 4, 30 and 100 fields"),
    }
}

fn write<T: Numbers>(shape: Shape, folder: &Path) {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let mut fields = vec![Field::new("coin", DataType::Utf8, false), Field::new("openDate", time, false)];
    fields.extend((0..shape.fields).map(|index| Field::new(format!("f{index}"), DataType::Float64, true)));
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let file = File::create(folder.join("raw.parquet")).expect("a file");
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).expect("a writer");
    for minutes in shape.pages() {
        let body = shape.body(minutes);
        let records = serde_json::from_str::<Envelope<T>>(&body).expect("the body fits").data;
        let times = records.iter().map(|record| record.time() * 1_000_000);
        let coins = std::iter::repeat_n("BTC", records.len());
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(coins)),
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        ];
        for index in 0..shape.fields {
            columns.push(Arc::new(records.iter().map(|record| record.number(index)).collect::<Float64Array>()));
        }
        writer.write(&RecordBatch::try_new(schema.clone(), columns).expect("columns")).expect("a row group");
    }
    writer.close().expect("a footer");
}
