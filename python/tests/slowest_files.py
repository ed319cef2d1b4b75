"""Prints the ten test files that took longest after each run of many files."""

from collections import defaultdict
from operator import itemgetter

import pytest

SHOWN = 10


class SlowestFiles:
    """Adds up the times in the process that prints them; with xdist it gets the reports of all others."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if len(self._seconds) <= SHOWN:
            return
        whole = sum(self._seconds.values())
        terminalreporter.section(f"slowest {SHOWN} of {len(self._seconds)} files, of {whole:.0f} s in all")
        for name, seconds in sorted(self._seconds.items(), key=itemgetter(1), reverse=True)[:SHOWN]:
            terminalreporter.write_line(f"{seconds:7.1f} s  {name}")
