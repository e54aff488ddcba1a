#!/bin/bash
# Logs in by fingerprint through sudo, su and the small host, on Debian's fprintd with its virtual sensor; prints a table of what
# was seen. The bus is a private one, and polkit is replaced by a program of the tests.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/fingerprint.sh match unplugged ...   only these rows
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh fingerprint \
  'sudo openssh-server openssh-client fprintd dbus-daemon python3-dbus python3-gi' "$@"
