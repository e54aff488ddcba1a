#!/bin/bash
# Called by packages.sh in namespaces of its own: lays the bare Debian out in memory, and runs the rows. Nothing here
# outlives the namespaces.
#
#   enter.sh SUITE [ROW ...]
set -euo pipefail
suite=$1
shift
folder=$PWD/build/packages

# Some containers do not allow these commands even to root.
try() {
  "$@" && return
  echo "$suite: 0 passed, 0 failed, all skipped: this machine does not let root do this: $*"
  exit 0
}

try mount -t proc proc /proc
# A virtual machine's Debian has a kernel, and its disk lies beside it.
debian=$folder/root.tar size=4g
if [[ $suite == vm ]]; then debian=$PWD/build/vm/root.tar size=12g; fi
mkdir -p "$folder/root"
try mount -t tmpfs -o "mode=755,size=$size" machines "$folder/root"
# A terminal that a row opens must have the same name in /dev/pts inside the machine.
try mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts /dev/pts
if [[ ! -L /dev/ptmx ]]; then mount --bind /dev/pts/ptmx /dev/ptmx; fi
lay_out() { # tar, name
  mkdir "$folder/root/$2"
  tar -x -C "$folder/root/$2" -f "$1"
  echo '127.0.0.1 localhost workstation' >"$folder/root/$2/etc/hosts"
}
lay_out "$debian" bare
cc -O1 Server/Tests/EndToEndTests/Programs/pam-host.c -lpam -o "$folder/root/bare/usr/local/bin/pam-host"
if [[ $suite == machines && -f $folder/other.tar ]]; then lay_out "$folder/other.tar" other; fi

# Process 1 must reap orphaned processes, which a shell does.
status=0
env -i "PATH=$PATH" LC_ALL=C.UTF-8 LAB_RESULTS="$folder" PYTHONPATH=Tests/Acceptance PYTHONDONTWRITEBYTECODE=1 \
  python3 -m "$suite" "$folder" "$@" || status=$?
exit "$status"
