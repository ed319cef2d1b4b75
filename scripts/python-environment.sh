#!/usr/bin/env bash
# Make .venv with exactly the locked packages of the given file, and the nexus command.
set -euo pipefail
lock=$1

python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "Nexus needs Python 3.11 or newer as '$python'. On Debian: apt-get install python3 python3-venv" >&2
  exit 1
fi
if [ ! -x .venv/bin/pip ]; then
  echo "Making the Python environment .venv"
  "$python" -m venv .venv 2>/dev/null || {
    # Debian ships venv without ensurepip until this package is there.
    scripts/debian-packages.sh python3-venv
    "$python" -m venv .venv
  }
fi
echo "Installing the packages of $lock"
.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
