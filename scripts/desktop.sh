#!/bin/bash
# Logs in at Debian's display managers and lockers, on screens in memory, and reads what they show. Logs in by passcode with Debian's
# gnome-keyring or KWallet behind the module, and shows whether the person's keyring is open. The rows `window...` use uafctl-gui
# as a screen reader does. build/desktop/pictures has what was shown. The buses are private ones.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/desktop.sh opens remote ...   only these rows
#   scripts/desktop.sh quick              without the longer ones of the screens
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
packages='gnome-keyring libpam-gnome-keyring libsecret-tools dbus-daemon libpam-kwallet5 libkf5wallet-bin'
packages+=' sudo lightdm lightdm-gtk-greeter sddm sddm-theme-debian-maui greetd sway swaylock grim wtype xscreensaver xvfb xdotool'
packages+=' graphicsmagick libgl1-mesa-dri tesseract-ocr tesseract-ocr-kor fonts-noto-cjk'
packages+=' python3-gi gir1.2-gtk-4.0 librsvg2-common adwaita-icon-theme gsettings-desktop-schemas fonts-dejavu-core'
packages+=' fontconfig at-spi2-core gir1.2-atspi-2.0 libglib2.0-bin zbar-tools desktop-file-utils appstream'
exec Tests/Acceptance/throw-away.sh desktop "$packages" "$@"
