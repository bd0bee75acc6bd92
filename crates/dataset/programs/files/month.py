"""Runs `derivs backfill` daily under `faketime`, while the service and the machine have ordinary troubles.

Each target gets one run a day. After every run, the exit code and the last line are compared with the file; after the
last run, the file is compared with the service: no record may be missing, outdated or duplicated. Run by `cargo xtask verify tables`
with the program `derivs` and an empty folder.
"""

import glob
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

import pandas

DERIVS, FOLDER = sys.argv[1:]
COINS = ["BTC", "ETH"]
HOUR, DAY = 3600, 86400
# 2024-02-20T06:30:00Z. The days after it include a leap day and the end of a month.
BEGIN, DAYS = 1708410600, 12
# The day of each trouble, as in `crates/dataset/tests/it/month.rs`.
LATE, OUTAGE, FAST_CLOCK, GAP, TEXT, KILLED, REJECTED, FIELD = 1, 3, 4, 6, 7, 8, 9, 10


class Service:
    """A service whose records depend on the time of the request."""

    def __init__(self, step):
        self.step, self.now, self.requests, self.of_run = step, BEGIN, 0, itertools.count()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                service.answer(self)

            def date_time_string(self, *_):
                return formatdate(service.now, usegmt=True)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v2"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def day(self):
        return (self.now - BEGIN) // DAY

    def published(self, at):
        """The time of publication: records of three days are 80 hours late, and twelve hours of records a day."""
        if BEGIN + LATE * DAY <= at < BEGIN + (LATE + 3) * DAY:
            return at + self.step + 80 * HOUR
        gap = BEGIN + GAP * DAY - 14 * HOUR
        if gap <= at < gap + 12 * HOUR:
            return BEGIN + GAP * DAY + 20 * HOUR
        return at + self.step

    def records(self, coin, start, end):
        """The published records. A value changes when it is twelve hours old, and one value is a string for a day."""
        text = (BEGIN + TEXT * DAY - 5 * HOUR) // HOUR * HOUR
        for at in range(-(-start // self.step) * self.step, end, self.step):
            if self.now < self.published(at):
                continue
            value = at // self.step % 1000 * 10 + 0.5 + (5 if self.now < at + 12 * HOUR else 0) + (coin == "ETH")
            yield at, "n/a" if at == text and self.day() == TEXT else value

    def answer(self, request):
        self.requests += 1
        if self.day() == OUTAGE:
            return request.connection.close()
        if self.day() == KILLED and next(self.of_run) > 0:
            return time.sleep(60)
        query = {name: values[0] for name, values in parse_qs(urlparse(request.path).query).items()}
        records = self.records(query["coin"], int(query["startTime"]), int(query["endTime"]) + 1)
        extra = {"added": 1} if self.day() >= FIELD else {}
        data = [{"openDate": at, "volumeRatio": value, **extra} for at, value in records][: int(query["limit"])]
        is_rejected = self.day() == REJECTED and self.requests % 2 == 0
        body = json.dumps({"data": data, "metadata": {}}).encode()
        request.send_response(503 if is_rejected else 200)
        request.send_header("content-length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def read(target):
    """The values of a target by coin and time."""
    if not os.path.exists(target):
        return {}
    frame = pandas.read_csv(target, parse_dates=["openDate"]) if target.endswith(".csv") else pandas.read_parquet(target)
    times = (frame["openDate"].dt.as_unit("s").astype("int64")).tolist()
    rows = dict(zip(zip(frame["coin"].astype(str), times), frame["volumeRatio"].astype(float)))
    assert len(rows) == len(frame), f"{target}: {len(frame) - len(rows)} rows are duplicates"
    return rows


def is_same(one, other):
    return one == other or one != one and other != other


def run(service, target, timeframe, start, day):
    """Runs the command, and returns its exit code and its messages."""
    service.now, service.of_run, before = BEGIN + day * DAY, itertools.count(), service.requests
    local = service.now + (5 * DAY if day == FAST_CLOCK else 0)
    clock = datetime.fromtimestamp(local, timezone.utc).strftime("@%Y-%m-%d %H:%M:%S")
    environment = {
        "PATH": os.environ["PATH"],
        "TZ": "UTC",
        "MARKET_ANALYTICS_BASE_URL": service.url,
        "MARKET_ANALYTICS_API_KEY": "any",
    }
    if day == OUTAGE:
        # The two minutes without a response pass in six seconds.
        clock += " x20"
    else:
        environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
    command = ["faketime", "-m", "-f", clock, DERIVS, "backfill", "volume_ratio", "--coin", ",".join(COINS)]
    command += ["--timeframe", timeframe, "--from", start, "--out", target]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)
    if day == KILLED:
        while service.requests == before:
            time.sleep(0.01)
        # Waits until the first page has arrived; later requests get no response.
        time.sleep(1)
        os.killpg(process.pid, signal.SIGKILL)
    messages = process.communicate()[1]
    return process.returncode, messages.strip()


def month(name, timeframe):
    step = 60 if timeframe == "1m" else HOUR
    service, target, start = Service(step), f"{FOLDER}/{timeframe}/{name}", (BEGIN - 2 * DAY) // DAY * DAY
    os.makedirs(os.path.dirname(target), exist_ok=True)
    day_of_start, before = datetime.fromtimestamp(start, timezone.utc).strftime("%Y-%m-%d"), {}
    for day in range(DAYS):
        code, messages = run(service, target, timeframe, day_of_start, day)
        context, after = f"{timeframe} {name}, day {day}, exit code {code}:\n{messages}", read(target)
        expected = {OUTAGE: [4], KILLED: [-signal.SIGKILL], REJECTED: [0, 6]}.get(day, [0])
        assert code in expected, context
        if code == 4:
            assert "the service does not respond" in messages and after == before, context
        elif code == 0:
            count = lambda what: int((re.search(rf"([\d,]+) {what}", messages) or [0, "0"])[1].replace(",", ""))
            new, changed = after.keys() - before.keys(), 0
            for key in before.keys() & after.keys():
                changed += not is_same(before[key], after[key])
            # The rows of the killed run may be part of a data set already.
            if day != KILLED + 1:
                assert count("new record") + count("filled") == len(new), f"{len(new)} new; {context}"
                # The added field also revises rows.
                assert count("revised") == changed or day >= FIELD, f"{changed} changed; {context}"
        before = after
    truth = {(coin, at): value for coin in COINS for at, value in service.records(coin, start, service.now // step * step)}
    missing = [key for key in truth if key not in before]
    outdated = [key for key in truth if key in before and not is_same(before[key], truth[key])]
    assert (len(missing), len(outdated), len(before)) == (0, 0, len(truth)), (name, missing[:3], outdated[:3], len(before))
    print(f"  {timeframe} {name}: {len(before)} records after {DAYS} runs and {service.requests} requests, none missing or outdated")


# A killed `faketime` leaves files in shared memory, with which it fails in a later process of the same id.
for file in glob.glob("/dev/shm/*faketime_*"):
    if not os.path.exists("/proc/" + file.rsplit("_", 1)[1]):
        os.remove(file)

targets = [(name, timeframe) for name in ("out.parquet", "out.csv", "data") for timeframe in ("1h", "1m")]
with ThreadPoolExecutor(len(targets)) as pool:
    for done in [pool.submit(month, *target) for target in targets]:
        done.result()
