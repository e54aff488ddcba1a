#!/bin/bash
# Logs in by passcode and face through sudo and the small host, on a face service that was written for these rows; prints a table
# of what was seen. The bus is a private one. No camera is used.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/face.sh right-right users-own ...   only these rows
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh face 'sudo dbus-daemon dbus-bin python3-dbus python3-gi' "$@"
