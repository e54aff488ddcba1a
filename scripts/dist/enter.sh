#!/bin/bash
# Called by dist.sh in separate namespaces: unpacks the release in memory, makes it the root, and runs the command there.
# Only the folders of the release outlive the namespaces.
set -euo pipefail
folder=$1 toolchain=$2
shift 2
checkout=$PWD
root=$folder/root

mount -t tmpfs -o mode=755,size=50% release "$root"
tar -x -C "$root" -f "$folder/root.tar"

mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mkdir -p "$root/run/lock"

# Name resolution and trust come from the machine, because the network does.
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
  if [[ -f $file ]]; then install -D -m 0644 "$(readlink -f "$file")" "$root$file"; fi
done
echo "127.0.0.1 ${folder##*/}" >>"$root/etc/hosts"
hostname "${folder##*/}"

mkdir -p "$root$checkout" "$root$toolchain" "$root/root"
mount --rbind "$checkout" "$root$checkout"
mount --bind "$folder/build" "$root$checkout/build"
mount --bind "$folder/.build" "$root$checkout/.build"
mount --bind "$folder/Server/.build" "$root$checkout/Server/.build"
# Inside, the packages that were built for this machine are those of a different release, so they are in build/dist.
# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p build/packages "$folder/build/dist/$here/build/packages"
mount --bind -o ro build/packages "$root$checkout/build/dist/$here/build/packages"
mount --bind "$folder/home" "$root/root"
mount --bind -o ro "$toolchain" "$root$toolchain"

# A root that was only changed by chroot may not make user namespaces, which our programs make.
cd "$root"
mkdir -p mnt/before
pivot_root . mnt/before
umount --lazy /mnt/before
cd "$checkout"

# As the first process, this shell reaps processes whose parents ended, so it must not become the command.
export PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
# The checkout may belong to somebody other than root.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
unset TMPDIR DIST SUDO_USER SUDO_UID SUDO_GID SUDO_COMMAND
trap 'exit 130' INT
trap 'exit 143' TERM
status=0
"$@" || status=$?
exit "$status"
