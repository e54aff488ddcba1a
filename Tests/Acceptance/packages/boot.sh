#!/bin/bash
# The first process of a machine, in namespaces of its own: makes the given folder its root, and becomes systemd, or with "plain"
# a process that only reaps orphaned processes, as in a container.
set -euo pipefail
root=$1 kind=$2

mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sys "$root/sys"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t tmpfs -o mode=755 dev "$root/dev"
for device in null zero full random urandom tty; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount --bind /dev/pts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
if [[ $kind == booted ]]; then mount -t cgroup2 groups "$root/sys/fs/cgroup"; fi
hostname workstation

# After a mere chroot, the kernel allows no user namespaces, which some services need.
cd "$root"
mkdir -p mnt/before
pivot_root . mnt/before
umount --lazy /mnt/before
mount --make-rshared /
if [[ $kind == booted ]]; then
  exec env -i container=throw-away PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --log-target=null --show-status=no
fi
mkdir -p /run/sshd /run/lock /run/machine
exec env -i PATH=/usr/sbin:/usr/bin sh -c 'while sleep 3600; do :; done'
