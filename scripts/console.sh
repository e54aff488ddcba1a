#!/bin/bash
# Opens every page of uaf-server's console in Chromium, and sends it the requests of hostile visitors; prints a table of what was
# seen. Pictures of the pages are in build/console/screenshots.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/console.sh P1 V3 ...   only these
#
# Chromium, its driver, poppler and zbar come from Debian's packages, Selenium and axe from PyPI: none of them is installed on
# this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
python=build/console/python
if [[ ! -d $python/selenium || ! -d $python/axe_playwright_python ]]; then
  mkdir -p build/console
  python3 -m venv build/console/venv
  build/console/venv/bin/pip --quiet install --target "$python" selenium==4.51.0
  # Only axe is used from this package, without the browser library that it depends on.
  build/console/venv/bin/pip --quiet install --target "$python" --no-deps axe-playwright-python==0.1.8
fi
exec Tests/Acceptance/throw-away.sh console 'chromium chromium-driver fonts-noto-cjk poppler-utils zbar-tools' "$@"
