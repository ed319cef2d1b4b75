#!/usr/bin/env bash
# Resolve pyproject.toml into exact versions with hashes, for every platform, without any index address.
set -euo pipefail
tool=$(mktemp -d)
trap 'rm -rf "$tool"' EXIT
python3 -m venv "$tool"
"$tool/bin/pip" install --quiet uv
lock() {
  "$tool/bin/uv" pip compile pyproject.toml "$@" --quiet --universal --upgrade --python-version 3.11 \
    --generate-hashes --no-header --no-annotate --no-emit-index-url
}
lock --group build -o requirements.lock
lock --group build --extra whisper -c requirements.lock -o requirements-whisper.lock
lock --group build --group test -c requirements.lock -o requirements-test.lock
lock --group build --group test --group bench -c requirements-test.lock -o requirements-bench.lock
