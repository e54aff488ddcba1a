#!/bin/bash
# Makes build/packages/root.tar: a bare Debian of this release with the programs that log people in and the packages that ours
# depend on, but without ours. If our packages were also built for the next release, makes newer.tar too: what apt needs to
# upgrade to that release. For the suite `machines` it also makes guests/KIND, the packages that a machine of that kind installs
# without a network; and other.tar, a bare Debian of the other release, if our packages were built for it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
folder=$PWD/build/packages
# shellcheck source=bare.sh
. Tests/Acceptance/packages/bare.sh

declare -A guests=(
  [control]='ansible-core ansible-mitogen openssh-client sshpass'
  [managed]='python3 python3-apt'
  [cloud]='cloud-init'
  [database]='postgresql'
  [directory]='libnss-extrausers'
)

# Fetches what apt needs to install each kind's packages on the bare Debian.
fetch_guests() {
  local root=$folder/root kind package packages
  mount -t tmpfs -o mode=755,size=2g root "$root"
  tar -x -C "$root" -f "$folder/root.tar"
  mount -t proc proc "$root/proc"
  get() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 apt-get -q -y "$@"; }
  get update
  for kind in "${!guests[@]}"; do
    # Not every release has all of these packages; a row that lacks one reports it.
    packages=()
    for package in ${guests[$kind]}; do
      if chroot "$root" apt-cache show "$package" >/dev/null 2>&1; then packages+=("$package"); fi
    done
    mkdir -p "$folder/guests.new/$kind/partial"
    mount --bind "$folder/guests.new/$kind" "$root/var/cache/apt/archives"
    get --download-only --no-install-recommends install "${packages[@]}"
    umount "$root/var/cache/apt/archives"
  done
}

# Fills newer.tar's folder: apt's sources, lists and packages of the next release, and our packages in a separate folder.
fetch() { # next release, its packages
  local root=$folder/root
  mount -t tmpfs -o mode=755,size=2g root "$root"
  tar -x -C "$root" -f "$folder/root.tar"
  mkdir "$root/var/ours"
  cp "$2"/*.deb "$root/var/ours"
  (cd "$root/var/ours" && dpkg-scanpackages --multiversion . >Packages)
  # As an administrator does it: the release's name is replaced.
  sed -i "s/\b$release\b/$1/" "$root/etc/apt/sources.list"
  echo 'deb [trusted=yes] file:/var/ours ./' >"$root/etc/apt/sources.list.d/ours.list"
  mkdir -p "$folder/newer/partial"
  mount --bind "$folder/newer" "$root/var/cache/apt/archives"
  mount -t proc proc "$root/proc"
  get() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 apt-get -q -y "$@"; }
  get update
  get autoclean
  get --download-only full-upgrade
  get --download-only install libpam-uaf uaf-server
  tar -c -C "$root" -f "$folder/newer.tar.new" --exclude=partial --exclude=lock \
    etc/apt/sources.list etc/apt/sources.list.d var/lib/apt/lists var/cache/apt/archives var/ours
}

# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
if [[ ${1-} == fetch ]]; then
  fetch "$2" "$3" >"$folder/newer.log" 2>&1
  exit 0
fi

if [[ ${1-} == fetch-guests ]]; then
  fetch_guests >"$folder/guests.log" 2>&1
  exit 0
fi

mkdir -p "$folder/root"
bare "$release" "$folder" "$folder/root.tar"

case $release in
  bookworm) next=trixie ;;
  *) next= ;;
esac
of_next=$PWD/build/dist/$next/build/packages
if [[ -z $next || ! -f $of_next/made ]]; then
  rm -f "$folder/newer.tar"
elif [[ ! -f $folder/newer.tar || -n $(find "$folder/root.tar" "$of_next/made" "$0" -newer "$folder/newer.tar") ]]; then
  echo "packages: fetching what upgrades $release to $next"
  rm -f "$folder/newer.tar" "$folder/newer.tar.new"
  if unshare --mount --pid --fork --kill-child --propagation private "$0" fetch "$next" "$of_next"; then
    mv "$folder/newer.tar.new" "$folder/newer.tar"
  else
    tail -n 5 "$folder/newer.log" >&2
    echo "packages: $next could not be fetched: the row that upgrades to it is skipped" >&2
  fi
fi

made_of=$(declare -p guests)
kept=$folder/guests/made-of
if [[ ${SUITE-} == machines && ($folder/root.tar -nt $kept || $(<"$kept") != "$made_of") ]]; then
  echo "packages: fetching what workstations install: ${guests[*]}"
  rm -rf "$folder/guests" "$folder/guests.new"
  if unshare --mount --pid --fork --kill-child --propagation private "$0" fetch-guests; then
    echo "$made_of" >"$folder/guests.new/made-of"
    mv "$folder/guests.new" "$folder/guests"
  else
    tail -n 5 "$folder/guests.log" >&2
    echo "packages: they could not be fetched: the rows that need them are skipped" >&2
  fi
fi

case $release in
  bookworm) other=trixie ;;
  *) other=bookworm ;;
esac
of_other=$PWD/build/dist/$other/build/packages
if [[ ! -f $of_other/made ]]; then
  rm -f "$folder/other.tar"
elif [[ ${SUITE-} == machines ]] && ! bare "$other" "$of_other" "$folder/other.tar"; then
  echo "packages: no bare $other could be made: the row that needs one is skipped" >&2
fi
