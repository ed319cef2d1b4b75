#!/usr/bin/env bash
# Make .venv with exactly the locked packages of the given file, and the nexus command.
set -euo pipefail
lock=$1

# The system's Python is preferred over others in PATH: it gets the distribution's security updates, and is built with
# profile-guided optimization, without which (the default of pyenv) everything takes a quarter longer. A complete Python
# is preferred over an incomplete one: Debian's has no ensurepip until a package is installed.
choose_python() {
  for needed in 'import ensurepip' pass; do
    for python in ${PYTHON:-/usr/bin/python3 python3}; do
      if "$python" -c "import sys; $needed; sys.exit(sys.version_info < (3, 11))" 2>/dev/null; then return; fi
    done
  done
  echo "Nexus needs Python 3.11 or newer as '$python'. On Debian: apt-get install python3 python3-venv" >&2
  exit 1
}

if [ ! -x .venv/bin/pip ]; then
  choose_python
  echo "Making the Python environment .venv with $("$python" --version)"
  "$python" -m venv .venv 2>/dev/null || {
    scripts/debian-packages.sh python3-venv
    "$python" -m venv .venv
  }
fi
echo "Installing the packages of $lock"
.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
