#!/usr/bin/env bash
# Everything about apps/viewer and apps/extension that needs Node: node-app.sh APP packages|build|lint|types|unit|format.
set -euo pipefail
app=$1
task=$2

if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null ||
  ! command -v npm >/dev/null; then
  echo "apps/$app needs Node 20.19 or newer and npm: without them this is the API alone. On Debian: apt-get install nodejs npm" >&2
  # The server can run without the viewer, but a check of the viewer without Node would check nothing, so it fails.
  case $task in packages | build) exit 0 ;; *) exit 1 ;; esac
fi

cd "apps/$app"
if [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "Installing the packages of apps/$app/package-lock.json"
  # Not `npm ci`: it fails where a registry lacks a package that only another platform needs. The
  # versions and hashes of the lock are checked all the same, and the lock is not changed.
  npm install --no-save --no-progress --loglevel=error
  touch node_modules/.package-lock.json
fi
case $task in
  packages) exit 0 ;;
  build) echo "Building apps/$app" ;;
esac
npm run --silent "$task"
