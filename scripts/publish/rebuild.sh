#!/bin/bash
# Builds the packages of a release again from its source archive, and compares every byte with those that were released for this
# machine's release of Debian. Verify the release first (docs/verify.md): this runs what is in the archive.
#
#   scripts/publish/rebuild.sh FOLDER    the folder with SHA256SUMS, provenance.json, the archive and the packages
#
# Swift 6.2 or newer and the Debian packages of `make deps` are needed, at best in the versions that provenance.json names.
set -euo pipefail
umask 022

stop() { # status, line
  echo "rebuild: $2" >&2
  exit "$1"
}

[[ -f ${1-}/SHA256SUMS ]] || stop 64 "'${1-}' is no folder of a release, with SHA256SUMS: scripts/publish/rebuild.sh FOLDER"
release=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
# The statement's own reader is JSON's; what is read is a number and a version.
read -r length version < <(python3 -c '
import json, sys
definition = json.load(open(sys.argv[1]))["predicate"]["buildDefinition"]
print(int(definition["internalParameters"]["lengthOfPath"]), definition["externalParameters"]["version"])' "$release/provenance.json")
archive=$release/pam-uaf-$version.tar.gz
[[ -f $archive ]] || stop 66 "$archive is not there"

# shellcheck source=same-length.sh
. scripts/publish/same-length.sh
there=$(folder_of_length "$length")
trap 'rm -rf "$there"' EXIT
tar -x -C "$there" --strip-components=1 -f "$archive"
echo "rebuild: building $version in $there"
(cd "$there" && scripts/deb.sh) >"$there/rebuild.log" 2>&1 || {
  tail -n 20 "$there/rebuild.log" >&2
  stop 1 "the packages could not be built"
}

# The components of a package, one a line.
components() { # package
  dpkg-deb --fsys-tarfile "$1" | tar -x -O --wildcards './usr/share/doc/*/*.spdx.json' |
    python3 -c 'import json, sys
for one in json.load(sys.stdin)["packages"]: print(one["name"], one.get("versionInfo", ""))' | sort
}

different=0 compared=0
for built in "$there"/build/packages/*.deb; do
  name=${built##*/}
  sum=$(sha256sum <"$built")
  wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$release/SHA256SUMS")
  [[ -n $wanted ]] || stop 1 "$name is not in SHA256SUMS: is it a release for another Debian than this machine's?"
  compared=$((compared + 1))
  if [[ ${sum%% *} == "$wanted" ]]; then
    echo "rebuild: the same: $wanted $name"
    continue
  fi
  different=1
  echo "rebuild: $name differs: ${sum%% *} here, $wanted in SHA256SUMS"
  if [[ -f $release/$name ]]; then
    diff <(components "$release/$name") <(components "$built") | sed -n 's/^</    released with/p; s/^>/    built here with/p' || true
  fi
done
if ((compared == 0)); then stop 1 "nothing was built"; fi
if ((different)); then stop 1 "the packages are not those that these sources make here"; fi
