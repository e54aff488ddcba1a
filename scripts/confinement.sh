#!/bin/bash
# Checks the policies of the two security modules without loading them: AppArmor's parser takes the profiles, and SELinux's
# compiler the module. `make test-vm` runs the programs under the profiles.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/deps.sh apparmor checkpolicy make policycoreutils selinux-policy-dev semodule-utils || exit
failed=0

if said=$(apparmor_parser --skip-kernel-load --skip-cache apparmor/* 2>&1); then
  echo "confinement: AppArmor's parser takes $(find apparmor -type f | wc -l) files"
else
  echo "confinement: AppArmor's parser refuses a profile: $(grep -m 1 error <<<"$said")" >&2
  failed=1
fi

made=build/selinux
rm -rf "$made"
mkdir -p "$made"
cp selinux/pam_uaf.* "$made"
if (cd "$made" && make -f /usr/share/selinux/devel/Makefile pam_uaf.pp) >"$made/log" 2>&1; then
  echo "confinement: SELinux's compiler takes the module"
else
  echo "confinement: SELinux's compiler refuses the module: $(grep -m 1 -E 'ERROR|Error|error' "$made/log")" >&2
  failed=1
fi
((failed == 0)) && echo "confinement: 2 passed, 0 failed"
exit "$failed"
