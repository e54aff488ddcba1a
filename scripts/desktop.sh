#!/bin/bash
# Logs in by passcode through libpam, with Debian's gnome-keyring behind the module, and shows whether the person's keyring is
# open; KWallet likewise where its package runs without a screen. The buses are private ones.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/desktop.sh opens remote ...   only these rows
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh desktop \
  'gnome-keyring libpam-gnome-keyring libsecret-tools dbus-daemon libpam-kwallet5 libkf5wallet-bin' "$@"
