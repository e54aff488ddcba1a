#!/bin/bash
# Attacks the module, the core and the server of build/stage from outside, and prints a table of what was seen.
#
#   BASELINE=1      the same attacks on pam_faillock with the stacks of its man page, beside ours
#   THOROUGH=1      every point of failure, all 48 power cuts: long; without it at most 8 minutes
#   scripts/attack.sh A1 A7 ...   these alone
#
# All of it happens in namespaces of its own (mounts, processes, network) whose root is a copy in memory: the programs of
# the stage are installed there, sudo and sshd come from Debian's packages, and the machine is left as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "attack: namespaces and PAM hosts need root, and there is no sudo here: run this as root" >&2
    exit 1
  fi
  exec sudo env "PATH=$PATH" BASELINE="${BASELINE-}" THOROUGH="${THOROUGH-}" scripts/attack.sh "$@"
fi
if ! unshare --mount --pid --net --uts --fork true 2>/dev/null; then
  echo "attack: 0 passed, 0 failed, all skipped: no namespaces can be made here (CAP_SYS_ADMIN is missing)"
  exit 0
fi
if [[ ! -f build/stage.prefix || $(<build/stage.prefix) != /usr ]]; then
  echo "attack: build/stage has to be built for PREFIX=/usr: run 'make build' first" >&2
  exit 1
fi

# What a workstation has and a machine that only builds may lack. Fetched, and not installed: see attack/enter.sh.
hosts=(sudo openssh-server openssh-client strace e2fsprogs)
folder=$PWD/build/attack
mkdir -p "$folder/packages/partial" "$folder/root"
fetch() {
  apt-get -q -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/packages" install --download-only \
    --no-install-recommends --yes "${hosts[@]}" >"$folder/apt.log" 2>&1
}
echo "attack: fetching the packages of the hosts that are attacked: ${hosts[*]}"
if ! fetch; then
  apt-get -q update >>"$folder/apt.log" 2>&1 && fetch || {
    tail -n 5 "$folder/apt.log" >&2
    echo "attack: packages could not be fetched: what needs them is skipped" >&2
  }
fi

exec unshare --mount --pid --net --uts --fork --kill-child --propagation private scripts/attack/enter.sh "$folder" "$@"
