#!/bin/bash
# Installs the Debian packages that building, testing and the demo need and that are missing, and says which. Does nothing if
# all of them are there. Arguments are further packages, that not everybody needs.
#
#   --list RELEASE        print the names instead, as that release of Debian has them
#   --missing-to-build    print instead the names of those that are missing and that `make build` needs
set -euo pipefail

# shellcheck source=/dev/null
release=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME-}")
list=no missing_to_build=no
case ${1-} in
  --list)
    list=yes release=$2
    shift 2
    ;;
  --missing-to-build)
    missing_to_build=yes
    shift
    ;;
esac

# The packages that only the build needs.
packages=(
  gcc g++ make pkg-config python3 libc6-dev zlib1g-dev
  libpam0g-dev libssl-dev libsqlite3-dev libcurl4-openssl-dev libpcre2-dev libunistring-dev libpsl-dev libseccomp-dev libpq-dev
  libqrencode-dev libsystemd-dev libtss2-dev
)
# Swift links with gold, which Debian 12 has in binutils. Without gold, Swift uses ld.bfd, which leaves PT_GNU_RELRO out.
if [[ $release != bookworm ]]; then packages+=(binutils-gold); fi

is_there() {
  case $1 in
    # A Python from elsewhere is enough.
    python3) command -v python3 >/dev/null ;;
    python3-venv) python3 -c "import venv, ensurepip" 2>/dev/null ;;
    *) [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ;;
  esac
}

missing=()
find_missing() {
  local package
  missing=()
  for package in "${packages[@]}"; do
    is_there "$package" || missing+=("$package")
  done
}

if [[ $missing_to_build == yes ]]; then
  if command -v dpkg-query >/dev/null; then find_missing; fi
  echo "${missing[*]}"
  exit 0
fi

packages+=(
  # testing and the demo
  pamtester libpam-wrapper iproute2 libnss-wrapper openssl python3-cryptography strace systemd valgrind
  swtpm tpm2-tools
  ca-certificates
  # fingerprints: the service, its bus, and what the tests use instead of polkit
  fprintd dbus-daemon python3-dbus python3-gi
  # the proofs; they need gcc too
  spin
  # releases: their signatures and their repository for apt
  gnupg openssh-client reprepro
  # the check
  python3-venv shellcheck shfmt
  "$@"
)
if [[ $list == yes ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v swift >/dev/null; then
  echo "deps: there is no swift command. Install Swift 6.2 or newer (https://www.swift.org/install/linux/) and try again." >&2
  exit 1
fi
if ! said=$(swift --version 2>&1); then
  echo "deps: swift cannot be started: ${said##*$'\n'}" >&2
  echo "deps: install what https://www.swift.org/install/linux/ lists for this system, and try again." >&2
  exit 1
fi
version=$(sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' <<<"$said")
read -r major minor <<<"$version"
if ((major < 6 || (major == 6 && minor < 2))); then
  echo "deps: Swift $major.$minor is too old: 6.2 or newer is needed (https://www.swift.org/install/linux/)." >&2
  exit 1
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "deps: this is not a Debian system. Make sure that what these packages contain is installed: ${packages[*]}" >&2
  exit 0
fi

find_missing
if ((${#missing[@]} == 0)); then
  echo "deps: everything is installed"
  exit 0
fi

root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "deps: run this as root: apt-get install --no-upgrade ${missing[*]}" >&2
    exit 1
  fi
  root=(sudo)
fi
get() { "${root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }

update() {
  echo "deps: fetching the lists of packages"
  get update
}

# Nothing is removed. Installed packages stay unchanged, unless a missing package needs a newer one; that is announced first.
install_missing() {
  local options=(install --yes --no-install-recommends --no-upgrade --no-remove) plan upgraded
  if ! plan=$(get --simulate "${options[@]}" "${missing[@]}" 2>&1); then
    echo "$plan" >&2
    return 1
  fi
  upgraded=$(sed -n 's/^Inst \([^ ]*\) \[\([^]]*\)\] (\([^ ]*\) .*/deps:   \1, from \2 to \3/p' <<<"$plan")
  if [[ -n $upgraded ]]; then
    printf 'deps: what is missing needs these installed packages newer, so they are upgraded:\n%s\n' "$upgraded"
  fi
  echo "deps: installing ${missing[*]}"
  get "${options[@]}" "${missing[@]}"
}

# A machine that was just set up has no lists of packages yet, and others may have old ones.
is_known() { apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^( ]'; }
up_to_date=no
for package in "${missing[@]}"; do
  if [[ $up_to_date == no ]] && ! is_known "$package"; then
    update
    up_to_date=yes
  fi
done
if ! install_missing; then
  if [[ $up_to_date == no ]]; then
    update
    echo "deps: trying again"
    if install_missing; then exit 0; fi
  fi
  echo "deps: not installed: ${missing[*]}. apt-get says above what is in the way" >&2
  exit 1
fi
