#!/bin/bash
# Runs a server and workstations on one virtual network, each a Debian of its own with our packages and a systemd: they join, log
# in and leave. Prints a table of what was seen.
#
#   scripts/machines.sh M1 M2 ...   these alone
set -euo pipefail
cd "$(dirname "$0")/.."
SUITE=machines exec scripts/packages.sh "$@"
