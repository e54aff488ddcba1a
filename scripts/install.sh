#!/bin/bash
# Copies build/stage to the directory of the first argument, or to the machine itself if that is empty. Writes no
# configuration and touches no PAM stack: installing must never change how anybody logs in.
set -euo pipefail
umask 022
cd "$(dirname "$0")/.."

destination=${1-}
if [[ ! -d build/stage ]]; then
  echo "install: nothing was built yet: run 'make build' first" >&2
  exit 1
fi
if [[ $(<build/stage.prefix) != "${PREFIX:-/usr}" ]]; then
  echo "install: build/stage was built for PREFIX=$(<build/stage.prefix): run 'make build PREFIX=${PREFIX:-/usr}' first" >&2
  exit 1
fi
(
  cd build/stage
  find . -type f -printf '%m %P\n'
) | while read -r mode path; do
  # install(1) replaces a file instead of writing into it: a running program or a loaded module stays intact.
  install -D -m "$mode" "build/stage/$path" "$destination/$path"
  echo "install: $destination/$path"
done
