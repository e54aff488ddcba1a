#!/bin/bash
# Makes build/vm/root.tar: the bare Debian of the suite `packages`, with a kernel and what a machine needs to start by itself.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
# shellcheck source=../packages/bare.sh
. Tests/Acceptance/packages/bare.sh
mkdir -p build/vm
bare "$release" build/packages build/vm/root.tar \
  apparmor apparmor-utils e2fsprogs init initramfs-tools kmod libpam-systemd linux-image-cloud-amd64 procps python3 udev
