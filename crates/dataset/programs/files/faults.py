"""Makes one system call of a command fail, or kills the command there, for each call and position in turn.

After each trial: a success has the rows of an undisturbed run, no row that was visible has vanished, the same command
then succeeds, and `status --verify` finds nothing. Prints each trial that breaks a promise, and the number of trials.
"""

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pyarrow.parquet

ERRORS = {
    "fsync": ["EIO", "ENOSPC"],
    "rename": ["EIO", "ENOSPC", "EXDEV"],
    "unlink": ["EIO", "EROFS"],
    "write": ["ENOSPC", "EIO"],
    "openat": ["EMFILE", "EACCES"],
    "read": ["EIO", "EINTR"],
    "lseek": ["EIO"],
    "statx": ["EACCES", "EIO"],
    "flock": ["EIO", "ENOLCK"],
    "mkdir": ["ENOSPC", "EROFS"],
    "fchmod": ["EPERM"],
}
KILLED = ["fsync", "rename", "unlink", "write", "openat", "mkdir", "fchmod"]


def backfill(out, end, coins="BTC,ETH"):
    series = ["volume_ratio", "--coin", coins, "--timeframe", "1h", "--from", "2025-01-01", "--to", end]
    return ["backfill", *series, "--out", out, "--sandbox", "--quiet"]


def without_state(folder):
    shutil.rmtree(os.path.join(folder, "d/.backfill"))


# The commands before a trial, what is then done by hand, and the command of the trial.
SCENARIOS = {
    "first": lambda out: ([], None, backfill(out, "2025-01-10")),
    "more": lambda out: ([backfill(out, "2025-01-10")], None, backfill(out, "2025-01-20", "BTC,ETH,SOL")),
    "remove": lambda out: ([backfill(out, "2025-01-10")], None, ["remove", out, "--coin", "BTC", "--quiet"]),
    "retire": lambda out: ([backfill(out, "2025-01-10")], None, ["retire", out, "--coin", "BTC", "--quiet"]),
    "adopt": lambda out: ([backfill(out, "2025-01-10")], without_state, ["adopt", out, "--quiet"]),
    "export": lambda out: ([backfill(out, "2025-01-10")], None, ["export", out, "--out", "export.csv", "--quiet"]),
}
TARGETS = ["a.parquet", "a.csv", "d/"]


def rows(folder, out):
    """The rows of a target, without the time at which they were fetched; None if there is no file."""
    path = os.path.join(folder, out)
    found = []
    files = [path]
    if out.endswith("/"):
        files = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names if ".backfill" not in at]
    for file in sorted(files):
        if not os.path.exists(file):
            return None
        if file.endswith(".csv"):
            with open(file, newline="") as text:
                found += list(csv.DictReader(text))
        else:
            found += pyarrow.parquet.ParquetFile(file).read().to_pylist()
    keyed = [tuple((name, str(value)) for name, value in row.items() if name != "fetched_at") for row in found]
    return sorted(keyed)


class Trials:
    def __init__(self, program, positions, folder):
        self.program = program
        self.positions = positions
        self.folder = folder
        self.count = 0
        self.skipped = 0
        self.broken = 0

    def run(self, words, folder, before=()):
        command = [*before, self.program, *words]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=40, stdin=subprocess.DEVNULL)
        return ended.returncode, ended.stdout + ended.stderr

    def scenario(self, name, out):
        prepared, by_hand, words = SCENARIOS[name](out)
        base = os.path.join(self.folder, "base")
        expected = os.path.join(self.folder, "expected")
        for folder in [base, expected]:
            shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(base)
        for earlier in prepared:
            code, text = self.run(earlier, base)
            assert code == 0, text
        before = rows(base, out) if prepared else None
        if by_hand:
            by_hand(base)
        shutil.copytree(base, expected)
        code, text = self.run(words, expected)
        assert code == 0, text
        result = out if name != "export" else "export.csv"
        after = rows(expected, result)
        for call, count in self.counts(words, base).items():
            step = max(1, count // self.positions)
            for position in range(1, count + 1, step):
                for error in ERRORS[call]:
                    self.trial(name, out, result, base, before, after, words, f"{call}:error={error}:when={position}")
                if call in KILLED:
                    self.trial(name, out, result, base, before, after, words, f"{call}:signal=KILL:when={position}")

    def counts(self, words, base):
        """The number of calls of each kind in an undisturbed run."""
        folder = os.path.join(self.folder, "counted")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        log = os.path.join(self.folder, "calls")
        self.run(words, folder, ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + ",".join(ERRORS)])
        with open(log) as text:
            calls = re.findall(r"^\d+ +(\w+)\(", text.read(), re.MULTILINE)
        return {call: calls.count(call) for call in ERRORS if call in calls}

    def trial(self, name, out, result, base, before, after, words, fault):
        folder = os.path.join(self.folder, "trial")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        call = fault.split(":")[0]
        strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=" + fault]
        try:
            code, text = self.run(words, folder, strace)
        except subprocess.TimeoutExpired:
            # A write that wakes a thread of the program's runtime cannot fail on a real system.
            if call != "write":
                raise
            self.skipped += 1
            return
        problems = []
        if "panicked" in text and "failed to wake" not in text and "eventfd" not in text:
            problems.append("panic")
        found = rows(folder, result)
        if code == 0 and found != after:
            problems.append("success with other rows")
        if name != "remove" and before is not None and not set(before) <= set(rows(folder, out) or []):
            problems.append("rows vanished")
        if name == "export" and found not in (None, after):
            problems.append("a part of an export is visible")
        if "move it away" in text or "delete" in text:
            problems.append("bad advice")
        again, answer = self.run(words, folder)
        if rows(folder, result) != after:
            problems.append(f"not healed: {answer[-200:]}")
        # A second removal may find nothing more to remove.
        if again != 0 and not (name == "remove" and again == 2):
            problems.append(f"the next run ended with {again}: {answer[-200:]}")
        status, answer = self.run(["status", out, "--verify"], folder)
        if status != 0:
            problems.append(f"status: {answer[-200:]}")
        self.count += 1
        if problems:
            self.broken += 1
            print(name, out, fault, "exit code", code, problems, text[-200:].replace("\n", "\\n"), flush=True)


def main():
    program, positions = sys.argv[1], int(sys.argv[2])
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else list(SCENARIOS)
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(program, positions, folder)
        for name in names:
            for out in TARGETS if name != "adopt" else ["d/"]:
                trials.scenario(name, out)
                print(name, out, trials.count, "trials", trials.skipped, "skipped", trials.broken, "broken", flush=True)
        sys.exit(trials.broken > 0)


main()
