#!/bin/bash
# Makes the root of a release of Debian with mmdebstrap, as a tar: from the machine's own mirror, with the machine's own settings
# of apt. Nothing is done if the tar was already made from the same packages and settings.
#
#   scripts/dist/root.sh DIST build TAR                with what building and testing need
#   scripts/dist/root.sh DIST bare TAR [PACKAGE ...]   with these packages and what every Debian has
set -euo pipefail
umask 022
cd "$(dirname "$0")/../.."
dist=$1 kind=$2 tar=$3
shift 3

stop() {
  echo "dist: $*" >&2
  exit 69
}

# The machine's sources of Debian itself, with the release's name instead of the machine's.
sources() {
  local here site release component key
  # shellcheck source=/dev/null
  here=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  # shellcheck disable=SC2016 # apt fills these in
  apt-get indextargets --format '$(CREATED_BY) $(SITE) $(RELEASE) $(COMPONENT)' 2>/dev/null |
    while read -r key site release component; do
      if [[ $key == Packages && $component == main && $release =~ ^"$here"(-updates|-security)?$ ]]; then
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $dist${release#"$here"} main"
      fi
    done
}

packages=("$@")
# Things that an installed machine has, such as its own machine ID.
skip=cleanup/reproducible
if [[ $kind == build ]]; then
  mapfile -t packages < <(scripts/deps.sh --list "$dist" debhelper dh-apparmor po-debconf lintian)
  # What the toolchain needs, then what the suites need on a machine.
  skip=cleanup/apt/lists
  packages+=(git libcurl4 libncurses6 libsqlite3-0 libuuid1 libxml2 tzdata)
  packages+=(binutils debian-archive-keyring e2fsprogs iproute2 login mmdebstrap passwd procps util-linux)
fi
sources=$(sources)
if [[ -z $sources ]]; then stop "apt knows no mirror of Debian on this machine, so no $dist can be made"; fi
made_of="$dist $kind $(printf '%s ' "${packages[@]}") $sources"
if [[ -f $tar && -f $tar.made-of && $(<"$tar.made-of") == "$made_of" ]]; then exit 0; fi

scripts/deps.sh mmdebstrap debian-archive-keyring >/dev/null || exit
# The space for its packages, the root while it is being made, and the tar.
room=$(df --output=avail -BM "${tar%/*}" | tail -n 1 | tr -dc 0-9)
if ((room < 4096)); then stop "${tar%/*} has $room MiB free: a root of $dist needs 4096 MiB while it is made"; fi
exec 9>"$tar.lock"
flock 9
trap 'rm -rf "$tar.new" "$tar.work"' EXIT
rm -rf "$tar.work" "$tar.new"
mkdir -p "$tar.work"

# The machine's settings for fetching: proxies, time limits, checks.
mapfile -t options < <(apt-config dump --no-empty Acquire |
  sed -nE '/^Acquire::(https?|Check|Retries|ForceIPv|Languages)/s/^/--aptopt=/p')
echo "dist: making a root of $dist ($kind)"
# In memory: dpkg waits for the disk after each file, which would take minutes.
# shellcheck disable=SC2016 # the inner shell's
in_memory='mount -t tmpfs -o mode=755,size=50% work "$1" && export TMPDIR=$1 && shift && exec "$@"'
if ! unshare --mount --propagation private bash -c "$in_memory" memory "$tar.work" \
  mmdebstrap --mode=root --variant=minbase --format=tar --skip="$skip" "${options[@]}" \
  --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io --include="$(IFS=, && echo "${packages[*]}")" \
  "$dist" "$tar.new" - <<<"$sources" >"$tar.log" 2>&1; then
  stop "no root of $dist could be made: $(grep -m 1 '^E:' "$tar.log" || tail -n 1 "$tar.log") All of it is in ${tar#"$PWD/"}.log"
fi
mv "$tar.new" "$tar"
echo "$made_of" >"$tar.made-of"
