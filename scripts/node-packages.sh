#!/usr/bin/env bash
# Install exactly the locked packages of a folder with a package-lock.json, unless they are there already.
# Everything else works without them, so a failure prints one line and is not an error.
set -euo pipefail
folder=$1
cd "$folder"

new_enough='const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
if ! command -v npm >/dev/null || ! node -e "$new_enough" 2>/dev/null; then
  echo "Left out: $folder, which needs Node 20.19 or newer with npm; here is $(node --version 2>/dev/null || echo none)." >&2
  exit 0
fi
if [ node_modules/.installed -nt package-lock.json ]; then exit 0; fi
echo "Installing the packages of $folder/package-lock.json"
if complaint=$(npm ci --omit=dev --no-fund --no-audit --loglevel=error 2>&1); then
  touch node_modules/.installed
else
  echo "Left out: $folder, since npm failed: $(grep -m1 -E 'npm error (network|request|.npm|.*not found|.*failed)' <<<"$complaint" || tail -n1 <<<"$complaint")" >&2
fi
