#!/bin/bash
# Makes build/packages/root.tar: a bare Debian with what logs people in and what our packages depend on, and without them.
# apt fetches it as the machine's own configuration says; nothing is installed on the machine. Done once, and again when
# another set of packages is wanted.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$PWD/build/packages
wanted=('?essential' apt dbus libpam-modules libpam-runtime login openssh-client openssh-server passwd pkexec polkitd sudo
  systemd systemd-sysv)

# Fills an empty folder with all packages that were fetched, each configured as on a real machine.
fill() { # folder
  local root=$1 name
  for name in bin sbin lib lib64; do
    mkdir -p "$root/usr/$name"
    ln -s "usr/$name" "$root/$name"
  done
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/archives" "$root/proc" "$root/dev"
  : >"$root/var/lib/dpkg/status"
  for archive in "$folder"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$root"
  done
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  mount --bind "$folder/archives" "$root/var/archives"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/in-memory"
  # Nothing is started while it is made.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 0755 "$root/usr/sbin/policy-rc.d"
  # Who accounts and folders belong to comes first; the others find their order.
  local install='dpkg --install --force-depends'
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -ec "
    cd /var/archives; $install base-passwd_*.deb base-files_*.deb; $install *.deb; dpkg --configure -a"
  rm "$root/usr/sbin/policy-rc.d"
  umount "$root/var/archives" "$root/dev" "$root/proc"
}

if [[ ${1-} == fill ]]; then
  mount -t tmpfs -o mode=755,size=1g root "$folder/root"
  fill "$folder/root" >"$folder/root.log" 2>&1
  tar -c -C "$folder/root" -f "$folder/root.tar.new" .
  exit 0
fi

depends=$(for package in "$folder"/*.deb; do dpkg-deb --field "$package" Depends; done)
if [[ -f $folder/root.tar && $(cat "$folder/root.made-of") == "${wanted[*]} $depends" ]]; then exit 0; fi

echo "packages: fetching a bare Debian"
rm -rf "$folder/archives"
mkdir -p "$folder/archives/partial" "$folder/root"
: >"$folder/nothing-installed"
fetch() {
  apt-get -q -o Debug::NoLocking=1 -o Dir::State::status="$folder/nothing-installed" \
    -o Dir::Cache::archives="$folder/archives" install --download-only --no-install-recommends --yes \
    "${wanted[@]}" "$folder"/*.deb >"$folder/apt.log" 2>&1
}
if ! fetch && ! { apt-get -q update >>"$folder/apt.log" 2>&1 && fetch; }; then
  tail -n 5 "$folder/apt.log" >&2
  exit 1
fi
echo "packages: making it"
unshare --mount --pid --fork --kill-child --propagation private "$0" fill || {
  tail -n 5 "$folder/root.log" >&2
  exit 1
}
mv "$folder/root.tar.new" "$folder/root.tar"
echo "${wanted[*]} $depends" >"$folder/root.made-of"
rm -r "$folder/archives"
