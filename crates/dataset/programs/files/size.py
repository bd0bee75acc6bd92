"""Compares a data set with a single file of the same rows: hourly records of 20 coins for one year.

The data set may have at most twice the bytes, and a DuckDB query of averages may take at most five times as long. Run
by `cargo xtask verify tables` with the folder that has `year.parquet` and `year/`.
"""

import os
import sys
import time

import duckdb

folder = sys.argv[1]
single, data = f"{folder}/year.parquet", f"{folder}/year"
files = [os.path.join(parent, name) for parent, _, names in os.walk(data) for name in names if name.endswith(".parquet")]


def query(source):
    """Returns the average of each coin, and the shortest time of seven queries."""
    connection, times = duckdb.connect(), []
    for _ in range(7):
        begun = time.perf_counter()
        rows = connection.sql(f"select coin, avg(volumeRatio), count(*) from {source} group by coin order by coin").fetchall()
        times.append(time.perf_counter() - begun)
    return rows, min(times)


one, one_time = query(f"'{single}'")
several, several_time = query(f"read_parquet('{data}/**/*.parquet', hive_partitioning = true)")
size, total = os.path.getsize(single), sum(os.path.getsize(file) for file in files)
print(f"  one file: {size / 1e6:.2f} MB, {one_time * 1e3:.1f} ms; {len(files)} files: {total / 1e6:.2f} MB, {several_time * 1e3:.1f} ms")
assert [(coin, count) for coin, _, count in one] == [(coin, count) for coin, _, count in several] and len(one) == 20
assert total <= 2 * size, "the data set is too large"
assert several_time <= 5 * one_time, "the data set is too slow"
