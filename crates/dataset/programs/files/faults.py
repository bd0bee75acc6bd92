"""Makes one system call of a command fail, or kills the command there, for each call and position in turn.

After each trial: a success has the rows of an undisturbed run, no row that was visible has vanished, the next run
heals, `status --verify` finds nothing, and no other file is left. Prints each trial that breaks a promise, and the
number of trials.
"""

import csv
import dataclasses
import datetime
import gzip
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import pyarrow.parquet

# `close` is left out: every written file is synced before, and the standard library panics if a folder cannot be closed,
# which no file system reports.
ERRORS = {
    "fsync": ["EIO", "ENOSPC"],
    "rename": ["EIO", "ENOSPC", "EXDEV"],
    "unlink": ["EIO", "EROFS", "EBUSY"],
    "write": ["ENOSPC", "EIO"],
    "openat": ["EMFILE", "EACCES"],
    "read": ["EIO", "EINTR"],
    "lseek": ["EIO"],
    "statx": ["EACCES", "EIO"],
    "readlink": ["EIO"],
    "getdents64": ["EIO"],
    "flock": ["EIO", "EINTR", "ENOLCK"],
    "ftruncate": ["EIO"],
    "mkdir": ["ENOSPC", "EROFS"],
    "rmdir": ["EBUSY"],
    "fchmod": ["EPERM"],
    "fchown": ["EPERM"],
}
KILLED = ["fsync", "rename", "unlink", "write", "openat", "flock", "ftruncate", "mkdir", "rmdir", "fchmod"]
TARGETS = ["a.parquet", "a.csv", "d/"]

# A backtrace would hide the message of a panic.
ENVIRONMENT = dict(os.environ, RUST_BACKTRACE="0")
# A command that takes longer hangs.
LONGEST = 40
# `poll` follows its series until it is stopped.
POLLED = 2

# The last hours, because `poll` follows the present.
HOUR = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
RECENT, BETWEEN, END = (f"{HOUR - datetime.timedelta(hours=age):%Y-%m-%dT%H:%M}" for age in [6, 3, 0])


def series(coins, timeframe="1h"):
    return ["volume_ratio", "--coin", coins, "--timeframe", timeframe, "--sandbox", "--quiet"]


def backfill(out, end, coins="BTC,ETH"):
    return ["backfill", *series(coins), "--from", "2025-01-01", "--to", end, "--out", out]


def recent(out, end):
    return ["backfill", *series("BTC", "1m"), "--from", RECENT, "--to", end, "--out", out]


def without_state(folder, out):
    shutil.rmtree(os.path.join(folder, out, ".backfill"))


def change_a_byte(folder, out):
    path = os.path.join(folder, data_files(out, folder)[0])
    if out.endswith(".csv"):
        path = os.path.join(folder, out + ".parts/rows.parquet")
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 4)
        changed = bytes([file.read(1)[0] ^ 255])
        file.seek(-1, os.SEEK_CUR)
        file.write(changed)


@dataclasses.dataclass
class Scenario:
    # The commands before a trial.
    prepared: list
    # The command of the trial.
    command: list
    # What is done by hand before the trial.
    by_hand: object = None
    # The commands that heal; by default that of the trial.
    healing: list = None
    # The file that has the result; by default the target.
    result: str = None
    targets: list = dataclasses.field(default_factory=lambda: TARGETS)


def scenario(name, out):
    first = backfill(out, "2025-01-10")
    if name == "first":
        return Scenario([], first)
    if name == "more":
        longer = backfill(out, "2025-01-20", "BTC,ETH,SOL")
        return Scenario([first], longer, targets=[*TARGETS, "a.jsonl.gz"])
    if name == "remove":
        return Scenario([first], ["remove", out, "--coin", "BTC", "--quiet"])
    if name == "retire":
        return Scenario([first], ["retire", out, "--coin", "BTC", "--quiet"])
    if name == "export":
        return Scenario([first], ["export", out, "--out", "export.csv", "--quiet"], result="export.csv")
    if name == "adopt":
        return Scenario([first], ["adopt", out, "--quiet"], by_hand=without_state, targets=["d/"])
    if name == "damaged":
        return Scenario([first], backfill(out, "2025-01-20"), by_hand=change_a_byte)
    if name == "repair":
        command = ["repair", out, "--quiet"]
        return Scenario([first], command, by_hand=change_a_byte, healing=[command, first])
    if name == "poll":
        command = ["poll", *series("BTC", "1m"), "--from", RECENT, "--out", out]
        return Scenario([recent(out, BETWEEN)], command, healing=[recent(out, END)], targets=["d/"])
    raise ValueError(name)


NAMES = ["first", "more", "remove", "retire", "export", "adopt", "damaged", "repair", "poll"]


def data_files(out, folder):
    """The files of a target that other programs read, below a folder."""
    if not out.endswith("/"):
        return [out] if os.path.exists(os.path.join(folder, out)) else []
    return sorted(path for path in files(folder) if path.startswith(out) and ".backfill" not in path)


def files(folder):
    """All files below a folder except those that a repair has moved aside, and those that the next `poll` removes."""
    found = []
    for at, _, names in os.walk(folder):
        for name in names:
            if ".damaged-" not in name and not name.endswith(".following"):
                found.append(os.path.relpath(os.path.join(at, name), folder))
    return found


def rows(folder, out):
    """The rows of a target, without the time at which they were fetched; None if there is no file."""
    found = []
    paths = [os.path.join(folder, path) for path in data_files(out, folder)]
    for path in paths:
        if path.endswith(".csv"):
            with open(path, newline="") as text:
                found += list(csv.DictReader(text))
        elif path.endswith(".gz"):
            with gzip.open(path, "rt") as text:
                found += [json.loads(line) for line in text]
        else:
            found += pyarrow.parquet.ParquetFile(path).read().to_pylist()
    keyed = [tuple((name, str(value)) for name, value in row.items() if name != "fetched_at") for row in found]
    return sorted(row for row in keyed if is_before_end(row)) if paths else None


def is_before_end(row):
    """Whether a row is in the time that the healing run has, which `poll` continues."""
    return dict(row)["openDate"].replace(" ", "T")[: len(END)] < END


def stop_after(seconds, process):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)


class Trials:
    def __init__(self, program, positions, folder):
        self.program = program
        self.positions = positions
        self.folder = folder
        self.log = os.path.join(folder, "calls")
        self.count = 0
        self.skipped = 0
        self.broken = 0

    def run(self, words, folder, before=()):
        """The exit code and the text of a command; no exit code if it hangs."""
        # `strace` and the command are a group of their own, because the command survives the end of `strace`. `strace`
        # ignores SIGTERM.
        process = subprocess.Popen(
            [*before, self.program, *words], cwd=folder, env=ENVIRONMENT, text=True, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        try:
            if words[0] == "poll":
                stop_after(POLLED, process)
            text, _ = process.communicate(timeout=LONGEST)
            return process.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text, _ = process.communicate()
            return None, text
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise

    def copy(self, name, source=None):
        folder = os.path.join(self.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        if source:
            shutil.copytree(source, folder)
        else:
            os.makedirs(folder)
        return folder

    def scenario(self, name, out):
        tried = scenario(name, out)
        healing = tried.healing or [tried.command]
        result = tried.result or out
        base = self.copy("base")
        for earlier in tried.prepared:
            code, text = self.run(earlier, base)
            assert code == 0, text
        before = rows(base, out)
        if tried.by_hand:
            tried.by_hand(base, out)
        expected = self.copy("expected", base)
        self.run(tried.command, expected)
        code, text = self.run_all(healing, expected)
        assert code == 0 or name == "remove", text
        kept = set(before or []) & set(rows(expected, out))
        if tried.by_hand == change_a_byte:
            # Damaged rows are not readable, and a text whose rows are lost is moved aside.
            kept = set()
        trial = Trial(name, tried.command, healing, out, result, base, kept, rows(expected, result), set(files(expected)))
        for call, count in self.counts(tried.command, base).items():
            step = math.ceil(count / self.positions)
            for position in range(1, count + 1, step):
                for error in ERRORS[call]:
                    self.trial(trial, call, f"error={error}:when={position}")
                if call in KILLED:
                    self.trial(trial, call, f"signal=KILL:when={position}")

    def run_all(self, commands, folder):
        """The exit code and the text of the last command."""
        for command in commands:
            ended = self.run(command, folder)
        return ended

    def counts(self, words, base):
        """The number of calls of each kind in an undisturbed run."""
        folder = self.copy("counted", base)
        self.run(words, folder, ["strace", "-f", "-qq", "-o", self.log, "-e", "trace=" + ",".join(ERRORS)])
        with open(self.log) as text:
            calls = re.findall(r"^\d+ +(\w+)\(", text.read(), re.MULTILINE)
        return {call: calls.count(call) for call in ERRORS if call in calls}

    def is_possible(self):
        """Whether the fault of the last trial can happen: the write that wakes a thread of the program never fails."""
        started = {}
        with open(self.log) as text:
            for line in text:
                thread, call = line.split(maxsplit=1)
                if call.endswith("<unfinished ...>\n"):
                    started[thread] = call
                if "INJECTED" in line and "[eventfd]" in call + started.get(thread, ""):
                    return False
        return True

    def trial(self, trial, call, fault):
        folder = self.copy("trial", trial.base)
        inject = ["-e", "trace=" + call, "-e", f"inject={call}:{fault}"]
        code, text = self.run(trial.command, folder, ["strace", "-f", "-qq", "-y", "-o", self.log, *inject])
        if not self.is_possible():
            self.skipped += 1
            return
        self.count += 1
        problems = self.problems_at_once(trial, folder, code, text) + self.problems_later(trial, folder)
        if problems:
            self.broken += 1
            ended = text[-200:].replace("\n", "\\n")
            print(trial.name, trial.out, call, fault, "exit code", code, problems, ended, flush=True)

    def problems_at_once(self, trial, folder, code, text):
        problems = []
        if code is None:
            problems.append("hangs")
        if "panicked" in text:
            problems.append("panic")
        if "move it away" in text or "delete" in text:
            problems.append("bad advice")
        if trial.kept and not trial.kept <= set(rows(folder, trial.out) or []):
            problems.append("rows vanished")
        # A repair loses rows, which the next run fetches.
        if code == 0 and (trial.name == "repair" or rows(folder, trial.result) != trial.after):
            problems.append("success with other rows")
        if trial.name == "export" and rows(folder, trial.result) not in (None, trial.after):
            problems.append("a part of an export is visible")
        return problems

    def problems_later(self, trial, folder):
        problems = []
        code, text = self.run_all(trial.healing, folder)
        # A second removal may find nothing more to remove.
        if code != 0 and not (trial.name == "remove" and code == 2):
            problems.append(f"the next run ended with {code}: {text[-200:]}")
        if rows(folder, trial.result) != trial.after:
            problems.append(f"not healed: {text[-200:]}")
        code, text = self.run(["status", trial.out, "--verify"], folder)
        if code != 0:
            problems.append(f"status: {text[-200:]}")
        left = set(files(folder)) ^ trial.files
        if left:
            problems.append(f"other files: {sorted(left)}")
        return problems


@dataclasses.dataclass
class Trial:
    name: str
    command: list
    healing: list
    out: str
    result: str
    base: str
    # The rows that are visible all the time.
    kept: set
    # The rows and the files after an undisturbed run.
    after: list
    files: set


def main():
    program, positions = sys.argv[1], int(sys.argv[2])
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else NAMES
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(program, positions, folder)
        for name in names:
            for out in scenario(name, "").targets:
                trials.scenario(name, out)
                print(name, out, trials.count, "trials", trials.skipped, "skipped", trials.broken, "broken", flush=True)
        sys.exit(trials.broken > 0)


main()
