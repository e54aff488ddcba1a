#!/bin/bash
# Called by throw-away.sh in namespaces of its own: makes the root of the machine, and runs a Python package there. Nothing
# here outlives the namespaces.
set -euo pipefail
package=$1 folder=$2
shift 2
checkout=$PWD
root=$folder/root/merged

# Some containers do not allow these commands even to root.
try() {
  "$@" && return
  echo "$package: 0 passed, 0 failed, all skipped: this machine does not let root do this: $*"
  exit 0
}

# In-memory layers over the machine's own root, which stays unchanged.
try mount -t tmpfs -o mode=755,size=3g layers "$folder/root"
mkdir "$folder/root/"{upper,work,merged}
try mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/root/upper,workdir=$folder/root/work" "$root"

try mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty loop-control; do
  if [[ -e /dev/$device ]]; then
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  fi
done
mkdir "$root/dev/pts" "$root/dev/shm"
try mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mkdir -p "$root$checkout"
mount --rbind -o ro "$checkout" "$root$checkout"
# The fuzzers need Swift's runtime, which may be on a separate file system: the layers contain only the root file system.
if swift=$(command -v swift) && toolchain=$(findmnt -n -o TARGET --target "$(readlink -f "$swift")") &&
  [[ $toolchain != / && $checkout/ != "$toolchain"/* ]]; then
  mkdir -p "$root$toolchain"
  mount --bind -o ro "$toolchain" "$root$toolchain"
fi

# The files of the packages are unpacked without running maintainer scripts, so that no service starts by itself.
for archive in "$folder"/packages/*.deb; do
  if [[ -f $archive ]]; then dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$root"; fi
done
scripts/install.sh "$root" >/dev/null
# sudo resolves the machine's own name.
rm -f "$root/etc/hosts"
echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts"
mkdir -p "$root/var/lib/pam-uaf" "$root/run/sshd" "$root/run/lock"
chmod 700 "$root/var/lib/pam-uaf"

# Process 1 must reap orphaned processes, which a shell does.
status=0
chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 BASELINE="${BASELINE-}" THOROUGH="${THOROUGH-}" \
  GOLDEN="${GOLDEN-}" LAB_RESULTS=/tmp/results PYTHONPATH="$checkout/Tests/Acceptance" PYTHONDONTWRITEBYTECODE=1 \
  "$(command -v python3)" -m "$package" "$@" || status=$?
rm -rf "$folder/transcripts"
cp -R "$root/tmp/results"/* "$folder/" 2>/dev/null || true
exit "$status"
