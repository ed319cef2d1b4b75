#!/usr/bin/env bash
# Install exactly the locked packages of a folder with a package-lock.json, unless they are there already.
set -euo pipefail
cd "$1"

if ! command -v npm >/dev/null || ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null; then
  echo "Left out: $1, which needs Node 20.19 or newer with npm; here is $(node --version 2>/dev/null || echo none)." >&2
  exit 0
fi
# npm keeps a lock of what it installed; one that is older than ours is of another time.
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0
echo "Installing the packages of $1/package-lock.json"
npm ci --omit=dev --no-fund --no-audit --loglevel=error
touch node_modules/.package-lock.json
