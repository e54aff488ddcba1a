#!/bin/bash
# Starts a Debian with its own kernel in an emulator, with the packages of build/packages, and prints a table of what was seen
# there: what namespaces cannot show, such as AppArmor. Builds the packages first if they are older than the files that they are
# made from.
#
#   scripts/vm.sh V1 V3 ...   only these rows
#
# The Debian is made from the machine's own mirror and kept in build/vm/root.tar; pictures of its screen are in build/vm/pictures.
# The machine has no network, and nothing outside build/ is changed.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

scripts/deb.sh --if-older
if ((EUID != 0)); then exec sudo env "PATH=$PATH" scripts/vm.sh "$@"; fi
skip() {
  echo "vm: 0 passed, 0 failed, all skipped: $*"
  exit 0
}
if [[ $(uname -m) != x86_64 ]]; then skip "only amd64 machines are emulated"; fi
if ! unshare --mount --pid --net --uts --ipc --fork true 2>/dev/null; then
  skip "no namespaces can be made here (CAP_SYS_ADMIN is missing)"
fi
scripts/deps.sh qemu-system-x86 e2fsprogs swtpm || exit
Tests/Acceptance/vm/root.sh || skip "no bare Debian could be made of this machine's mirror"
rm -rf build/vm/pictures
exec unshare --mount --pid --net --uts --fork --kill-child --propagation private Tests/Acceptance/packages/enter.sh vm "$@"
