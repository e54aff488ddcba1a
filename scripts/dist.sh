#!/bin/bash
# Runs a command of this checkout in a different release of Debian.
#
#   scripts/dist.sh trixie make deb
#   DIST=trixie make deb              the same, for each target of the Makefile
#
# The release is a separate root file system with everything that building and testing need. It is made once from the machine's
# own mirror, kept as build/dist/DIST/root.tar, and made again when different packages are wanted. Each command gets a copy of
# it in memory, in its own namespaces: the checkout and the Swift toolchain are at their paths, `build` and both `.build` are
# those of the release (build/dist/DIST), and everything else is gone afterwards. For the machine's own release, no root file
# system is made: the command runs directly.
#
# Ends with 64 for an unknown name, with 69 if no such release is available, otherwise with the command's status.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

stop() { # status, line
  echo "dist: $2" >&2
  exit "$1"
}

dist=${1-}
known=(bookworm trixie)
if [[ " ${known[*]} " != *" $dist "* || -z $dist ]]; then
  stop 64 "DIST is '$dist': write one of ${known[*]}"
fi
shift
if (($# == 0)); then stop 64 "no command: scripts/dist.sh $dist COMMAND [ARGUMENT ...]"; fi
# shellcheck source=/dev/null
if [[ $(. /etc/os-release && echo "${VERSION_CODENAME-}") == "$dist" ]]; then exec "$@"; fi

if ((EUID != 0)); then
  command -v sudo >/dev/null || stop 69 "namespaces need root, and there is no sudo here: run this as root"
  exec sudo -E env "PATH=$PATH" scripts/dist.sh "$dist" "$@"
fi
unshare --mount --pid --uts --ipc --fork true 2>/dev/null ||
  stop 69 "no namespaces can be made here (CAP_SYS_ADMIN is missing), so there is no $dist to run '$1' in"

# The folder that has the compiler, wherever a link or a version manager puts it.
toolchain=$(swift -print-target-info 2>/dev/null | sed -n 's,.*"runtimeResourcePath": "\(.*\)/lib/swift".*,\1,p') || true
[[ -n $toolchain ]] || stop 69 "there is no swift command: install Swift 6.2 or newer (https://www.swift.org/install/linux/)"
case $toolchain in
  /usr | /usr/lib/* | / | '')
    stop 69 "the Swift toolchain is part of the machine's own $toolchain: unpack one of swift.org into a folder of its own"
    ;;
esac

folder=$PWD/build/dist/$dist
mkdir -p Server/.build "$folder"/{build,.build,Server/.build,home,root}
scripts/dist/root.sh "$dist" build "$folder/root.tar"

# Packages of Swift are fetched on the machine, whose git may know mirrors and proxies.
if [[ ! -f $folder/.build/fetched || Package.swift -nt $folder/.build/fetched || Server/Package.swift -nt $folder/.build/fetched ]]; then
  echo "dist: fetching Swift's packages"
  { swift package resolve && swift package --package-path Server resolve; } >"$folder/resolve.log" 2>&1 || {
    tail -n 3 "$folder/resolve.log" >&2
    stop 1 "Swift's packages could not be fetched"
  }
  for name in {.,Server}/.build/{repositories,checkouts,artifacts,workspace-state.json}; do
    rm -rf "${folder:?}/$name"
    if [[ -e $name ]]; then cp -a --reflink=auto "$name" "$folder/$name"; fi
  done
  touch "$folder/.build/fetched"
fi

exec unshare --mount --pid --uts --ipc --fork --kill-child --propagation private \
  scripts/dist/enter.sh "$folder" "$toolchain" "$@"
