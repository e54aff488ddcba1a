#!/bin/bash
# Builds the Ansible collection of examples/ansible, installs it into build/ansible, and has ansible-lint and ansible-playbook
# look at it. `make test-machines` plays the roles.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/ansible list=scripts/check/ansible.txt
if [[ ! -f $folder/made-of ]] || ! cmp -s "$list" "$folder/made-of"; then
  echo "ansible: installing into build/ansible: $(grep -v '^#' "$list" | paste -sd ' ')"
  rm -rf "$folder"
  python3 -m venv "$folder"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$list"
  cp "$list" "$folder/made-of"
fi
export PATH=$folder/bin:$PATH ANSIBLE_HOME=$folder/home ANSIBLE_COLLECTIONS_PATH=$folder/home/collections
export ANSIBLE_LOCALHOST_WARNING=False ANSIBLE_INVENTORY_UNPARSED_WARNING=False

rm -rf "${folder:?}/home" "${folder:?}"/*.tar.gz
ansible-galaxy collection build --output-path "$folder" examples/ansible
ansible-galaxy collection install --offline "$folder"/*.tar.gz
for playbook in examples/ansible/playbooks/*.yml; do
  name=${playbook##*/}
  ansible-playbook --syntax-check --inventory workstations,uaf_servers "pam_uaf.fleet.${name%.yml}"
done
# A copy: ansible-lint looks for a checkout of Git around what it reads, and would lint all of it.
mkdir "$folder/home/linted"
cp -R examples/ansible "$folder/home/linted/collection"
cp scripts/check/ansible-lint.yml "$folder/home/linted/collection/.ansible-lint"
(cd "$folder/home/linted/collection" && ansible-lint --strict)
echo "ansible: the collection builds, and its linter finds nothing"
