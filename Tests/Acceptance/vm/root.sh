#!/bin/bash
# Makes build/vm/root.tar: the bare Debian of the suite `packages`, with a kernel and what a machine needs to start by itself.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
# The first of each alternative, without its version.
mapfile -t needed < <(for package in build/packages/*.deb; do dpkg-deb --field "$package" Depends; done |
  tr ',' '\n' | sed 's/[|(].*//; s/ //g' | sort -u)
mkdir -p build/vm
exec scripts/dist/root.sh "$release" bare build/vm/root.tar \
  dbus libpam-modules libpam-runtime login openssh-client openssh-server openssl passwd pkexec polkitd sudo systemd systemd-sysv \
  apparmor apparmor-utils e2fsprogs init initramfs-tools kmod libpam-systemd linux-image-cloud-amd64 procps python3 udev \
  "${needed[@]}"
