#!/bin/bash
# Installs, upgrades, removes and purges the packages of build/packages in a separate Debian, and prints a table of
# what was seen. Builds them first if they are older than the files that they are made from.
#
#   scripts/packages.sh P4 P7 ...   only these
#   SUITE=machines                  the rows of that package of Tests/Acceptance instead (scripts/machines.sh)
#
# The Debian is made from the machine's own mirror, kept in build/packages/root.tar, and run in separate namespaces, with its
# own systemd if possible. Nothing on the machine is changed.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

suite=${SUITE:-packages}

scripts/deb.sh --if-older
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "$suite: namespaces need root, and there is no sudo here: run this as root" >&2
    exit 1
  fi
  exec sudo env "PATH=$PATH" SUITE="$suite" scripts/packages.sh "$@"
fi
skip() {
  echo "$suite: 0 passed, 0 failed, all skipped: $*"
  exit 0
}
if ! unshare --mount --pid --net --uts --ipc --fork true 2>/dev/null; then
  skip "no namespaces can be made here (CAP_SYS_ADMIN is missing)"
fi
SUITE=$suite Tests/Acceptance/packages/root.sh || skip "no bare Debian could be made of this machine's mirror"

exec unshare --mount --pid --net --uts --fork --kill-child --propagation private Tests/Acceptance/packages/enter.sh "$suite" "$@"
