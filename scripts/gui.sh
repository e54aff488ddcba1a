#!/bin/bash
# Lays uafctl-gui out below a folder, as scripts/stage.sh calls it: the program, its modules, and its entry in menus. Nothing
# is compiled.
#
#   scripts/gui.sh FOLDER
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

: "${PREFIX:=/usr}"
stage=$1 share=$1$PREFIX/share
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
day=$(date --utc --date="$(sed -n '/^ -- /{s/.*>  //p;q}' debian/changelog)" +%F)

# Modules that are gone must not stay.
rm -rf "$share/uafctl-gui"
for module in gui/uafctl_gui/*.py; do
  install -D -m 0644 "$module" "$share/uafctl-gui/uafctl_gui/${module##*/}"
done
install -D -m 0755 gui/uafctl-gui.in "$stage$PREFIX/bin/uafctl-gui"
sed -i "s|@VERSION@|$version|" "$stage$PREFIX/bin/uafctl-gui"
sed -i "s|@BINDIR@|$PREFIX/bin|" "$share/uafctl-gui/uafctl_gui/tasks.py"
install -D -m 0644 gui/share/pam_uaf.uafctl_gui.desktop "$share/applications/pam_uaf.uafctl_gui.desktop"
install -D -m 0644 gui/share/pam_uaf.uafctl_gui.metainfo.xml "$share/metainfo/pam_uaf.uafctl_gui.metainfo.xml"
sed -i "s|@VERSION@|$version|; s|@DATE@|$day|" "$share/metainfo/pam_uaf.uafctl_gui.metainfo.xml"
install -D -m 0644 gui/share/uafctl-gui.svg "$share/icons/hicolor/scalable/apps/uafctl-gui.svg"
