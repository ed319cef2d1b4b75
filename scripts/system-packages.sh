#!/usr/bin/env bash
# What Nexus uses beside Python: Node and a browser for pages that need one (run); brokers, a speech synthesizer, a smaller browser and an EPUB checker for the tests (test).
set -euo pipefail
purpose=$1

find_browser() {
  [ -n "${NEXUS_CHROMIUM:-}" ] || command -v chromium chromium-browser google-chrome >/dev/null 2>&1 ||
    compgen -G "${PLAYWRIGHT_BROWSERS_PATH:-${HOME:-/root}/.cache/ms-playwright}/chromium*" >/dev/null
}

missing=()
find_browser || missing+=(chromium)
command -v node >/dev/null && command -v npm >/dev/null || missing+=(nodejs npm)
if [ "$purpose" = test ]; then
  # Only Debian has this package; without it the viewer's tests use Chromium, at more than twice the processor time.
  command -v chromium-headless-shell >/dev/null || ! grep -qs '^ID=debian' /etc/os-release || missing+=(chromium-headless-shell)
  [ -e /usr/share/java/epubcheck.jar ] || missing+=(epubcheck)
  command -v espeak-ng >/dev/null || missing+=(espeak-ng)
  command -v redis-server >/dev/null || missing+=(redis-server)
  [ -x /usr/sbin/rabbitmq-server ] || command -v rabbitmq-server >/dev/null || missing+=(rabbitmq-server)
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && scripts/debian-packages.sh "${missing[@]}"; then
  exit 0
fi
if ! find_browser && command -v npx >/dev/null; then
  echo "Trying Playwright's own browser"
  timeout 600 npx --yes playwright@1.65 install chromium >/dev/null 2>&1 || true
fi
left=()
for package in "${missing[@]}"; do
  if [ "$package" != chromium ] || ! find_browser; then left+=("$package"); fi
done
[ ${#left[@]} -eq 0 ] || echo "Left out: ${left[*]}. To bring it, as root on Debian: apt-get install ${left[*]}" >&2
