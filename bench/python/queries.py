"""Compares a Parquet file of ours with the same rows written by others: queries.py FILE FOLDER ROUNDS.

Prints a line for each file with its bytes per row, and a line for each query with the median CPU milliseconds that DuckDB
takes with one thread. The first figure of each line is ours.
"""

import os
import statistics
import sys
import time

import duckdb
import polars
import pyarrow.parquet

# The query of one coin reads a part of the rows, the others read all or a month of all.
QUERIES = {
    "average of all rows": "select avg(f0) from '{}'",
    "average of one month": "select avg(f0) from '{}' where openDate >= '2024-03-01' and openDate < '2024-04-01'",
    "average for each coin": "select coin, avg(f0) from '{}' group by coin",
    "average of one coin": "select avg(f0) from '{}' where coin = 'C50'",
}


def written(file, folder):
    """The files: ours, and the same rows with the default settings of pyarrow and Polars."""
    rows = pyarrow.parquet.read_table(file, columns=["coin", "openDate", "f0"]).replace_schema_metadata(None)
    arrow = os.path.join(folder, "pyarrow.parquet")
    pyarrow.parquet.write_table(rows, arrow)
    frame = os.path.join(folder, "polars.parquet")
    polars.from_arrow(rows).write_parquet(frame)
    return [file, arrow, frame], len(rows)


def milliseconds(connection, query, file):
    start = time.process_time()
    connection.execute(query.format(file)).fetchall()
    return (time.process_time() - start) * 1000


file, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
files, rows = written(file, folder)
sizes = [os.path.getsize(path) / rows for path in files]
print("bytes of a row\t" + "\t".join(f"{size:.2f}" for size in sizes))
connection = duckdb.connect()
connection.execute("set threads = 1; set TimeZone = 'UTC'")
for name, query in QUERIES.items():
    took = [[] for _ in files]
    for _ in range(rounds):
        for path, times in zip(files, took):
            times.append(milliseconds(connection, query, path))
    print(name + "\t" + "\t".join(f"{statistics.median(times[1:]):.1f}" for times in took))
