#!/bin/bash
# Runs a server and workstations on one virtual network, each a separate Debian with our packages and its own systemd: they
# join, log in and leave. Prints a table of what was seen.
#
#   scripts/machines.sh M1 M2 ...   only these
set -euo pipefail
cd "$(dirname "$0")/.."
SUITE=machines exec scripts/packages.sh "$@"
