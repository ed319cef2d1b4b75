"""Generated requests against every route of a running server, many more than the tests have time for.

    python -m bench.fuzz [--examples N]

Ends with an error at the first 5xx, undocumented status or answer that its schema does not allow; else says how many
requests were made, as JSON.
"""

import argparse
import json
import re
import tempfile
from pathlib import Path

import httpx2

from bench.server import served
from tests.contract.test_schemathesis import run

GROUPS = ("--enable-feeds-api", "--enable-operator-config-api", "--enable-jobs-api")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=100, help="of each operation")
    examples: int = parser.parse_args().examples
    with tempfile.TemporaryDirectory(prefix="nexus-fuzz-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root, the database's account must get through
        (folder / "corpus").mkdir()
        options = ("--no-worker", "--output-dir", str(folder / "corpus"), *GROUPS)
        with served(folder / "data", *options) as (url, _):
            httpx2.post(f"{url}/api/jobs/pause").raise_for_status()
            # Streams of jobs that wait never end.
            said = run(url, "--exclude-path-regex", "(resume|events)$", examples=examples)
    generated = re.search(r"(\d+) generated", said)
    print(json.dumps({"examples_per_operation": examples, "requests": int(generated[1]) if generated else 0}, indent=1))


if __name__ == "__main__":
    main()
