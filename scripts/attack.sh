#!/bin/bash
# Attacks the module, the core and the server of build/stage from outside, and prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   BASELINE=1      the same attacks on pam_faillock with the stacks of its man page, in addition to ours
#   THOROUGH=1      every point of failure, all 48 power cuts: long; without it at most 8 minutes
#   scripts/attack.sh A1 A7 ...   only these
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh attack 'sudo openssh-server openssh-client strace e2fsprogs' "$@"
