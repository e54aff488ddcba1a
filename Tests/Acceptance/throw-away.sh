#!/bin/bash
# Runs one of the Python packages of Tests/Acceptance as root of a throw-away machine, which ends with it.
#
#   Tests/Acceptance/throw-away.sh PACKAGE "DEBIAN-PACKAGE ..." [ROW ...]
#
# All of it happens in namespaces of its own (mounts, processes, network, names) whose root is a copy in memory: the
# programs of build/stage are installed there, hosts such as sudo and sshd come from Debian's packages, and the machine is
# left as it is. If no such machine can be created, it reports that and exits successfully.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=$1
read -ra hosts <<<"$2"
shift 2
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "$package: namespaces and PAM hosts need root, and there is no sudo here: run this as root" >&2
    exit 1
  fi
  exec sudo env "PATH=$PATH" BASELINE="${BASELINE-}" THOROUGH="${THOROUGH-}" GOLDEN="${GOLDEN-}" \
    Tests/Acceptance/throw-away.sh "$package" "${hosts[*]}" "$@"
fi
if ! unshare --mount --pid --net --uts --fork true 2>/dev/null; then
  echo "$package: 0 passed, 0 failed, all skipped: no namespaces can be made here (CAP_SYS_ADMIN is missing)"
  exit 0
fi
if [[ ! -f build/stage.prefix || $(<build/stage.prefix) != /usr ]]; then
  echo "$package: build/stage has to be built for PREFIX=/usr: run 'make build' first" >&2
  exit 1
fi

# Packages that a workstation has but a build machine may lack. They are fetched but not installed: see lab/enter.sh.
folder=$PWD/build/$package
mkdir -p "$folder/packages/partial" "$folder/root"
fetch() {
  apt-get -q -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/packages" install --download-only \
    --no-install-recommends --yes "${hosts[@]}" >"$folder/apt.log" 2>&1
}
update() { # one at a time: suites may run side by side
  flock build/lists.lock apt-get -q update >>"$folder/apt.log" 2>&1
}
echo "$package: fetching the packages of the hosts: ${hosts[*]}"
if ! fetch && ! { update && fetch; }; then
  tail -n 5 "$folder/apt.log" >&2
  echo "$package: packages could not be fetched: what needs them is skipped" >&2
fi

exec unshare --mount --pid --net --uts --fork --kill-child --propagation private \
  Tests/Acceptance/lab/enter.sh "$package" "$folder" "$@"
