#!/bin/bash
# Starts uaf-server on SQLite and on PostgreSQL, and provisions accounts as other programs do; prints a table of what was seen.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/provisioning.sh T1 D3 ...   only these
#
# scim2-tester and scim2-client come from PyPI, PostgreSQL from Debian's packages: none of them is installed on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
python=build/provisioning/python
packages=(scim2-tester==0.5.2 'scim2-client[httpx2]==0.13.2' scim2-models==0.12.3 httpx2==2.16.2)
made="$(python3 --version) ${packages[*]}"
if [[ ! -f $python/made-of || $(<"$python/made-of") != "$made" ]]; then
  rm -rf "$python" build/provisioning/venv
  mkdir -p build/provisioning
  python3 -m venv build/provisioning/venv
  if build/provisioning/venv/bin/pip --quiet --disable-pip-version-check install --only-binary :all: --target "$python" "${packages[@]}"; then
    echo "$made" >"$python/made-of"
  else
    rm -rf "$python"
    echo "provisioning: scim2-tester could not be fetched: its rows are skipped" >&2
  fi
fi
# Inside the throw-away machine nothing can be fetched.
scripts/postgresql.sh bin >/dev/null || echo "provisioning: without PostgreSQL its rows are skipped" >&2
exec Tests/Acceptance/throw-away.sh provisioning '' "$@"
