#!/bin/bash
# Logs in through the hosts that people use: sudo, sshd, login, su, a locker; and prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   GOLDEN=write    keep what the hosts showed as what they have to show, in Tests/Transcripts
#   scripts/system.sh sudo-lock login-success ...   these alone
#   scripts/system.sh quick                         those of Tests/Acceptance/system/quick.py
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
# Display managers: what their packages hold for PAM is looked at, and nothing of them installed.
managers=build/system/display-managers
mkdir -p "$managers"
if ! (cd "$managers" && rm -f ./*.deb && apt-get -q download gdm3 lightdm sddm) >"$managers.log" 2>&1; then
  echo "system: gdm3, lightdm and sddm could not be fetched: what needs their files is skipped" >&2
fi
Tests/Acceptance/throw-away.sh system 'sudo openssh-server openssh-client cron libnss-extrausers python3-jsonschema' "$@"
if [[ ${GOLDEN-} == write && -d build/system/transcripts ]]; then
  # Debian 12's hosts show what is shared; another release keeps what its hosts show otherwise.
  release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  kept=Tests/Transcripts
  if [[ $release != bookworm ]]; then kept+=/$release; fi
  mkdir -p "$kept"
  # A whole run leaves nothing that no host shows any more.
  if (($# == 0)) && ! grep -q '"verdict": "skipped"' build/system/system.json; then rm -f "$kept"/*.txt; fi
  for transcript in build/system/transcripts/*.txt; do
    name=${transcript##*/}
    if [[ $release != bookworm ]] && cmp -s "$transcript" "Tests/Transcripts/$name"; then
      rm -f "$kept/$name"
    else
      cp "$transcript" "$kept/"
    fi
  done
  rmdir --ignore-fail-on-non-empty "$kept"
  echo "system: compared with $kept: $(find build/system/transcripts -type f | wc -l) transcripts"
fi
