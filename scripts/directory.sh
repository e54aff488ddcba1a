#!/bin/bash
# Takes the people of a real slapd into a server's store with `uaf-server sync ldap`, and prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/directory.sh L1 L4 ...   only these
#
# slapd and ldapsearch come from Debian's packages, which are fetched and unpacked as throw-away.sh says: neither is installed on
# this machine, and the directory is in memory.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh directory 'slapd ldap-utils' "$@"
