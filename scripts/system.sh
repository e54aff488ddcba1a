#!/bin/bash
# Logs in through the hosts that people use: sudo, sshd, login, su, a locker; and prints a table of what was seen.
#
#   GOLDEN=write    keep what the hosts showed as what they have to show, in Tests/Transcripts
#   scripts/system.sh sudo-lock login-success ...   these alone
set -euo pipefail
cd "$(dirname "$0")/.."
# Display managers: what their packages hold for PAM is looked at, and nothing of them installed.
managers=build/system/display-managers
mkdir -p "$managers"
if ! (cd "$managers" && rm -f ./*.deb && apt-get -q download gdm3 lightdm sddm) >"$managers.log" 2>&1; then
  echo "system: gdm3, lightdm and sddm could not be fetched: what needs their files is skipped" >&2
fi
Tests/Acceptance/throw-away.sh system 'sudo openssh-server openssh-client' "$@"
if [[ ${GOLDEN-} == write && -d build/system/transcripts ]]; then
  mkdir -p Tests/Transcripts
  # A whole run leaves nothing that no host shows any more.
  if (($# == 0)) && ! grep -q '"verdict": "skipped"' build/system/system.json; then rm -f Tests/Transcripts/*.txt; fi
  cp build/system/transcripts/*.txt Tests/Transcripts/
  echo "system: kept in Tests/Transcripts: $(find build/system/transcripts -type f | wc -l) transcripts"
fi
