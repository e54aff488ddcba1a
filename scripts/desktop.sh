#!/bin/bash
# Logs in at Debian's display managers and lockers, on screens in memory, and reads what they show; pictures of it are in
# build/desktop/pictures. Logs in by passcode with Debian's gnome-keyring or KWallet behind the module, and shows whether the
# person's keyring is open. The buses are private ones.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/desktop.sh opens remote ...   only these rows
#   scripts/desktop.sh quick              without the longer ones of the screens
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
exec Tests/Acceptance/throw-away.sh desktop \
  "gnome-keyring libpam-gnome-keyring libsecret-tools dbus-daemon libpam-kwallet5 libkf5wallet-bin \
sudo lightdm lightdm-gtk-greeter sddm sddm-theme-debian-maui greetd sway swaylock grim wtype xscreensaver xvfb xdotool \
graphicsmagick libgl1-mesa-dri tesseract-ocr tesseract-ocr-kor fonts-noto-cjk" "$@"
