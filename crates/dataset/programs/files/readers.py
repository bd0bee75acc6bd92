"""Reads the single files of `files write` with pandas, Polars and DuckDB; `engines.py` reads the data set.

Every reader has to find the rows that the sandbox has, numbers as numbers and timestamps as timestamps. Run by
`cargo xtask verify tables`.
"""

import json
import sys
import warnings
from datetime import datetime, timezone

import duckdb
import pandas
import polars
import pyarrow.parquet

# The names of some options differ between versions of pandas, which warns about old names.
warnings.simplefilter("ignore")
folder = sys.argv[1]
truth = sorted((endpoint, coin, time, value) for endpoint, coin, time, value in json.load(open(f"{folder}/truth.json")))
RATIO, DELTA = "orderflow.volume_ratio", "orderflow.volume_delta"
FILES = ["out.parquet", "out.csv", "out.jsonl"]


def check(reader, name, rows):
    """Rows are (endpoint, coin, timestamp, ratio, delta)."""
    found = []
    for endpoint, coin, time, ratio, delta in rows:
        assert isinstance(time, datetime) and time.tzinfo is not None, f"{reader}, {name}: {time!r} is not in UTC"
        value = ratio if endpoint == RATIO else delta
        assert isinstance(value, float), f"{reader}, {name}: {value!r} is not a float"
        other = delta if endpoint == RATIO else ratio
        assert other is None or other != other, f"{reader}, {name}: {other!r} should be missing"
        found.append((endpoint, coin, int(time.timestamp()), value))
    found.sort()
    assert found == truth, f"{reader}, {name}: {len(found)} rows, {len(truth)} expected; first {found[:2]} and {truth[:2]}"
    print(f"  {reader} {name}: {len(found)} rows")


def with_pandas():
    def rows(frame):
        columns = [frame[name] for name in ("endpoint", "coin", "openDate", "volumeRatio", "volumeDelta")]
        return [(e, c, t.to_pydatetime(), float(r), float(d)) for e, c, t, r, d in zip(*columns)]

    check("pandas", "out.parquet", rows(pandas.read_parquet(f"{folder}/out.parquet")))
    check("pandas", "out.csv", rows(pandas.read_csv(f"{folder}/out.csv", parse_dates=["openDate"], float_precision="round_trip")))
    frame = pandas.read_json(f"{folder}/out.jsonl", lines=True, convert_dates=["openDate"], precise_float=True)
    check("pandas", "out.jsonl", rows(frame))


def with_polars():
    names = ["endpoint", "coin", "openDate", "volumeRatio", "volumeDelta"]
    check("polars", "out.parquet", polars.read_parquet(f"{folder}/out.parquet").select(names).rows())
    csv = polars.read_csv(f"{folder}/out.csv", try_parse_dates=True, infer_schema_length=None).select(names)
    check("polars", "out.csv", [(e, c, aware(t), r, d) for e, c, t, r, d in csv.rows()])
    lines = polars.read_ndjson(f"{folder}/out.jsonl", infer_schema_length=None).select(names)
    lines = lines.with_columns(polars.col("openDate").str.to_datetime(time_zone="UTC"))
    check("polars", "out.jsonl", lines.rows())


def aware(time):
    return time if time.tzinfo else time.replace(tzinfo=timezone.utc)


def with_duckdb():
    connection = duckdb.connect()
    connection.sql("set timezone = 'UTC'")
    names = "endpoint, coin, epoch(openDate), volumeRatio, volumeDelta, typeof(openDate)"
    for name, source in [
        ("out.parquet", f"'{folder}/out.parquet'"),
        ("out.csv", f"'{folder}/out.csv'"),
        ("out.jsonl", f"read_json('{folder}/out.jsonl')"),
    ]:
        rows = connection.sql(f"select {names} from {source}").fetchall()
        assert all(row[5].startswith("TIMESTAMP") for row in rows), rows[0]
        check("duckdb", name, [(e, c, datetime.fromtimestamp(t, timezone.utc), r, d) for e, c, t, r, d, _ in rows])


def with_pyarrow():
    schema = pyarrow.parquet.read_schema(f"{folder}/out.parquet")
    facts = schema.field("volumeRatio").metadata
    assert facts[b"evidence"] == b"documented" and facts[b"meaning"], facts
    for endpoint in ("global_metrics.global_bid_ask", "orderflow.anchored_cvd"):
        frame = pandas.read_parquet(f"{folder}/shapes/{endpoint}")
        assert len(frame) == 30 * 24 and str(frame["openDate"].dtype).startswith("datetime64"), frame.dtypes
        print(f"  pandas shapes/{endpoint}: {', '.join(frame.columns)}")


with_pyarrow()
with_pandas()
with_polars()
with_duckdb()
