#!/bin/bash
# Logs in through the hosts that people use: sudo, sshd, login, su, a locker; and prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   GOLDEN=write    store the hosts' output as the expected output, in Tests/Transcripts
#   scripts/system.sh sudo-lock login-success ...   only these
#   scripts/system.sh quick                         the rows of Tests/Acceptance/system/quick.py
#   scripts/system.sh trouble                       docs/locked-out.md and docs/runbooks, all of it
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
# Display managers: the PAM files and the header in their packages are used, but the packages are not installed.
managers=build/system/display-managers
mkdir -p "$managers"
if ! (cd "$managers" && rm -f ./*.deb && apt-get -q download gdm3 libgdm-dev lightdm sddm) >"$managers.log" 2>&1; then
  echo "system: gdm3, libgdm-dev, lightdm and sddm could not be fetched: what needs their files is skipped" >&2
fi
Tests/Acceptance/throw-away.sh system 'sudo openssh-server openssh-client cron libnss-extrausers python3-jsonschema' "$@"
if [[ ${GOLDEN-} == write && -d build/system/transcripts ]]; then
  # The output of Debian 12's hosts is shared; for a different release, only the differences are stored.
  release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  kept=Tests/Transcripts
  if [[ $release != bookworm ]]; then kept+=/$release; fi
  mkdir -p "$kept"
  # A complete run removes stored output that no host shows any longer.
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
