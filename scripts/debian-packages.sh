#!/usr/bin/env bash
# Install Debian packages if this is Debian and we are root; otherwise print the command for it.
set -euo pipefail

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Missing: $*. On Debian, as root: apt-get install $*" >&2
  exit 1
fi
echo "Installing Debian packages: $*"
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  # The tests start their own servers; installing the packages must not start any.
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "$@" >/dev/null
