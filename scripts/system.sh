#!/bin/bash
# Logs in through the hosts that people use: sudo, sshd, login, su, a locker; and prints a table of what was seen.
#
#   GOLDEN=write    keep what the hosts showed as what they have to show, in Tests/Transcripts
#   scripts/system.sh sudo sshd ...   these alone
set -euo pipefail
cd "$(dirname "$0")/.."
exec scripts/throw-away.sh system 'sudo openssh-server openssh-client' "$@"
