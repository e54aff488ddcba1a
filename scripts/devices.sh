#!/bin/bash
# Logs in on a machine whose key a chip holds (Debian's swtpm), makes happen to the chip everything that can happen to one, and
# prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/devices.sh D1 D7 ...   only these
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh devices 'sudo strace swtpm tpm2-tools' "$@"
