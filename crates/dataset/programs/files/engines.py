"""Reads a data set of `files write` as folders, without options: `engines.py READER FOLDER`.

Every reader has to find the same rows and the same sums for each endpoint and timeframe. Run by `cargo xtask verify
tables`, once for each reader that is installed.
"""

import json
import sys

reader, folder = sys.argv[1:]
COLUMNS = {"orderflow.volume_ratio": "volumeRatio", "orderflow.volume_delta": "volumeDelta"}


def frame_rows(frame, column):
    """Returns rows of a frame with pandas' interface."""
    groups = frame.groupby("timeframe")
    return [(str(name), len(group), group["coin"].nunique(), float(group[column].sum())) for name, group in groups]


def sql(column, source):
    return f'select timeframe, count(*), count(distinct coin), sum("{column}") from {source} group by timeframe'


def read(path, column):
    if reader == "pandas":
        import pandas

        return frame_rows(pandas.read_parquet(path), column)
    if reader == "fastparquet":
        import glob

        import fastparquet

        return frame_rows(fastparquet.ParquetFile(sorted(glob.glob(f"{path}/*.parquet"))).to_pandas(), column)
    if reader == "dask":
        import dask.dataframe

        return frame_rows(dask.dataframe.read_parquet(path).compute(), column)
    if reader == "pyarrow":
        import pyarrow.dataset

        return frame_rows(pyarrow.dataset.dataset(path).to_table().to_pandas(), column)
    if reader == "polars":
        import polars

        values = [polars.len(), polars.col("coin").n_unique(), polars.col(column).sum()]
        return polars.scan_parquet(path).group_by("timeframe").agg(values).collect().rows()
    if reader == "duckdb":
        import duckdb

        return duckdb.sql(sql(column, f"'{path}/*.parquet'")).fetchall()
    if reader == "chdb":
        import chdb

        text = str(chdb.query(sql(column, f"file('{path}/*.parquet', Parquet)"), "JSONCompactEachRow"))
        return [json.loads(line) for line in text.splitlines()]
    if reader == "pyspark":
        from pyspark.sql import SparkSession

        local = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        local = local.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
        session = local.config("spark.sql.shuffle.partitions", "1").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        session.read.parquet(path).createOrReplaceTempView("rows")
        return [tuple(row) for row in session.sql(sql(column, "rows").replace('"', "`")).collect()]
    raise SystemExit(f"unknown reader {reader}")


truth = json.load(open(f"{folder}/engines.json"))
for endpoint, column in COLUMNS.items():
    found = {str(timeframe): (int(rows), int(coins), float(total)) for timeframe, rows, coins, total in read(f"{folder}/engines/{endpoint}", column)}
    for timeframe, (rows, coins, total) in truth[endpoint].items():
        one = found.pop(timeframe, None)
        assert one and one[:2] == (rows, coins) and abs(one[2] - total) < 1e-6 * max(1, abs(total)), (
            f"{reader}, {endpoint} {timeframe}: {one}, expected {(rows, coins, total)}"
        )
    assert not found, f"{reader}, {endpoint}: unexpected {found}"
print(f"  {reader}: the same rows and sums")
