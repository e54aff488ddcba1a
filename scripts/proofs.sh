#!/bin/bash
# Has Spin check the models in proofs/, and find their mutations: proofs/README.md. Arguments are those of proofs/run.py.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in spin gcc; do
  if ! command -v "$program" >/dev/null; then
    echo "proofs: $program is missing: make deps installs it" >&2
    exit 1
  fi
done
exec env PYTHONDONTWRITEBYTECODE=1 proofs/run.py "$@"
