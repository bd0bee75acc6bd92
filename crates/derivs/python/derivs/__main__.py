"""`python -m derivs` runs the command."""

from __future__ import annotations

import os
import subprocess
import sys

from ._command import program


def main() -> None:
    command = [program(), *sys.argv[1:]]
    if os.name == "posix":
        # The command replaces this process, so it receives the signals.
        os.execv(command[0], command)
    sys.exit(subprocess.call(command))


main()
