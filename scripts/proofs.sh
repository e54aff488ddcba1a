#!/bin/bash
# Has Spin check the models in proofs/, and detect the errors that were planted in mutations of them: proofs/README.md. Arguments
# are those of proofs/run.py.
#
#   scripts/proofs.sh --any-number   instead, has Why3 with CVC4 prove ledger.mlw; scripts/deps.sh why3 cvc4 installs them
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1-} == --any-number ]]; then
  home=$(mktemp -d)
  trap 'rm -rf "$home"' EXIT
  why3 --config "$home/why3.conf" config detect >/dev/null 2>&1
  said=$(why3 --config "$home/why3.conf" prove -P CVC4,1.8, -a split_vc -a inline_goal -a split_vc -t 30 proofs/ledger.mlw 2>&1) || true
  proved=$(grep -c '^Prover result is: Valid' <<<"$said") || true
  goals=$(grep -c '^Prover result is:' <<<"$said") || true
  echo "proofs: $proved of $goals goals are proved"
  if ((proved == 0 || proved < goals)); then
    grep -B 2 '^Prover result is:' <<<"$said" | grep -v Valid || echo "$said" | tail -n 5
    exit 1
  fi
  exit 0
fi

for program in spin gcc; do
  if ! command -v "$program" >/dev/null; then
    echo "proofs: $program is missing: make deps installs it" >&2
    exit 1
  fi
done
exec env PYTHONDONTWRITEBYTECODE=1 proofs/run.py "$@"
