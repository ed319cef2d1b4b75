"""Generated requests against the operator's routes: no 5xx, no undocumented status, no schema mismatch."""

import pytest

from tests.contract.test_schemathesis import run
from tests.operator.conftest import OperatorServer, served

__all__ = ["served"]  # a fixture


@pytest.mark.timeout(1800)
def test_operators_routes(served: OperatorServer) -> None:
    served.http.post("/api/jobs/pause")
    # Streams of jobs that wait never end; tests/operator/test_job_events.py asks them.
    only = ["--include-path-regex", "^/api/(feeds|operator-config|jobs|scheduled-jobs)"]
    without = ["--exclude-path-regex", "(resume|events)$"]
    run(str(served.http.base_url).rstrip("/"), *only, *without)
