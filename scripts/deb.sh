#!/bin/bash
# Builds the Debian packages libpam-uaf, uaf-server and uafctl-gui of build/stage into build/packages, and lets lintian check them.
# Builds the stage first if it is older than the sources. Nothing outside build/ is written. The packages are those of the
# release of Debian that this runs on; `make deb DIST=bookworm` runs it in a different one.
#
#   --if-older    only if something that they are made from has changed since
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

if [[ ${PREFIX:-/usr} != /usr ]]; then
  echo "deb: a Debian package has its programs in /usr, not in $PREFIX" >&2
  exit 64
fi
export PREFIX=/usr
scripts/deps.sh debhelper dh-apparmor po-debconf lintian
scripts/stage.sh --if-older
packages=$PWD/build/packages
if [[ ${1-} == --if-older && -f $packages/made ]] &&
  [[ -z $(find debian scripts/deb.sh build/stage.stamp -newer "$packages/made" -print -quit) ]]; then
  echo "deb: $packages is up to date"
  exit 0
fi

# There is one version: that of the programs.
version=$(dpkg-parsechangelog --show-field Version)
for program in bin/uafctl bin/uafctl-gui bin/uaf-server libexec/pam-uaf/uaf-helper libexec/pam-uaf/uaf-fetch libexec/pam-uaf/uaf-chip \
  libexec/pam-uaf/uaf-finger libexec/pam-uaf/uaf-name; do
  said=$("build/stage/usr/$program" --version)
  if [[ ${said##* } != "$version" ]]; then
    echo "deb: debian/changelog says version $version, and ${program##*/} says $said: correct one of them" >&2
    exit 1
  fi
done

# The newest release has the version itself. An older release has a lower version, as in Debian's backports, so that
# upgrading the machine upgrades the package.
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
case $release in
  bookworm) rebuild='~bpo12+1' ;;
  *) rebuild= ;;
esac

source=$packages/source
mkdir -p "$packages"
rm -rf "$source" "$packages"/*.deb "$packages/made"
mkdir "$source"
cp -a debian "$source/debian"
if [[ -n $rebuild ]]; then
  {
    printf 'pam-uaf (%s) %s-backports; urgency=medium\n\n  * Rebuild for %s.\n\n' "$version$rebuild" "$release" "$release"
    # The date is a second later than the entry below, and the same in every build.
    printf ' -- %s  %s\n\n' "$(dpkg-parsechangelog --show-field Maintainer)" \
      "$(LC_ALL=C date -u -R -d "@$(($(dpkg-parsechangelog --show-field Timestamp) + 1))")"
    cat debian/changelog
  } >"$source/debian/changelog"
fi
# Swift is not a package, so the tools that it replaces need not be packages either.
if ! (cd "$source" && dpkg-checkbuilddeps 2>&1); then
  echo "deb: going on without them: scripts/deps.sh has looked for what the build needs"
fi
# Level 2 makes packages a seventh larger than dpkg's own, in a third of the time.
(cd "$source" && STAGE=$PWD/../../stage DESTDIR=$packages COMPRESSION='-Zxz -z2' debian/rules binary) >"$packages/build.log" 2>&1 || {
  tail -n 20 "$packages/build.log" >&2
  echo "deb: the packages could not be built; all of it is in build/packages/build.log" >&2
  exit 1
}
rm -rf "$source"

# An error or a warning of lintian fails the build.
lintian --allow-root --fail-on error,warning "$packages"/*.deb
for package in "$packages"/*.deb; do
  echo "deb: build/packages/${package##*/}: $(($(stat -c %s "$package") / 1024)) KiB," \
    "$(dpkg-deb --field "$package" Installed-Size) KiB installed"
done
touch "$packages/made"
