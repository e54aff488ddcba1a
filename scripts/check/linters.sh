#!/bin/bash
# Installs what linters.txt names into build/python, if it is not there. The linters that Debian has are in scripts/deps.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=build/python list=scripts/check/linters.txt
if [[ -f $folder/made-of ]] && cmp -s "$list" "$folder/made-of"; then exit 0; fi
echo "deps: installing into $folder: $(grep -v '^#' "$list" | paste -sd ' ')"
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list"
cp "$list" "$folder/made-of"
