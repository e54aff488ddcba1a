#!/bin/bash
# The rules of CONTRIBUTING.md that a machine can check: format, forbidden words, and what the programs in
# build/stage need. Prints one line for each rule that is broken and fails if there is any.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

broken=0
say() {
  echo "check: $*"
  broken=1
}

# Targets that are part of a login, and may use the C library but neither threads nor Foundation.
login_path=(Sources/Login Sources/Shared/{SecretMemory,UAFCrypto,UAFMessages,CBOR,WebAuthn,FidoResults,ServiceNames,AuthenticatorTypes,UAFConfiguration})

# Reports the lines of Swift code, comments left out, that match a pattern.
forbid() { # pattern, why, folders
  local pattern=$1 why=$2 file line
  shift 2
  while IFS= read -r file; do
    while IFS= read -r line; do
      say "$file:$line: $why"
    done < <(sed -E 's,(^|[^:"])//.*,\1,' "$file" | grep -nE "$pattern")
  done < <(find "$@" -name '*.swift' -o -name '*.[ch]' | sort)
}

"${SWIFT:-swift}" format lint --strict --recursive Package.swift Sources Tests Server/{Package.swift,Sources,Tests} ||
  say "make fmt formats the sources"

forbid '\btry!|\bas!|\bfatalError\b|\bprecondition(Failure)?\(|\bassert(ionFailure)?\(|\bunowned\b' \
  'ends the process instead of refusing' Sources Server/Sources
forbid '\basync\b|\bawait\b|\bTask\b|\bactor\b|\bDispatchQueue\b|\bpthread_create\b|\bThread\b' \
  'no threads in a login: once they are denied, Swift hangs' "${login_path[@]}"
forbid '^ *(@testable )?import Foundation' 'no Foundation in a login: size, start-up time, copies of secrets' \
  "${login_path[@]}"

# Every `unsafe` has its reason.
while IFS= read -r line; do say "$line"; done \
  < <(find Sources Server/Sources -name '*.swift' | sort | xargs awk -f scripts/check/safety.awk)

forbid '\bpopen\(|\bwordexp\(|"/bin/[a-z]*sh"|[^.e] system\(' 'no shell sees a name or a text' \
  Sources Server/Sources cshim

forbid '\bProcess\(\)' "copies past the entries of /proc/self/fd and ends all tests: use StartedProgram" \
  Tests Server/Tests
forbid '\.timeLimit\(' "measures how busy the machine is: scripts/swift-test.sh has the limit for all tests" \
  Tests Server/Tests

# Imports, programs' contents, citations, the table of targets.
export PYTHONDONTWRITEBYTECODE=1
scripts/check/linters.sh && scripts/check/lint.py || broken=1
scripts/check/structure.py || broken=1
scripts/check/planted.py || broken=1

# What uafctl-gui decides.
scripts/check/gui.sh || broken=1

# Each policy has a test, and the table says which.
scripts/policies.py || broken=1
# Each line of pam.d/ is explained, and lets no failure pass.
scripts/stacks.py || broken=1
scripts/picture.py --check || broken=1
# The seeds that are copies are still what they are copies of.
Tests/Fuzz/make_seeds.py --check || broken=1
# The table of attacks matches the present rows.
PYTHONPATH=Tests/Acceptance python3 -m attack.document --check || broken=1

generated=$(git ls-files -- build {.,Server}/{.build,Package.resolved} cshim/core '*.o' '*.so' 2>/dev/null)
if [[ -n $generated ]]; then say "generated files are committed: ${generated//$'\n'/ }"; fi

# What a program is linked against must be on its list.
needs_only() { # file, libraries
  local file=$1 library
  shift
  if [[ ! -f $file ]]; then
    say "$file is not there: run 'make build' first"
    return
  fi
  while IFS= read -r library; do
    # Debian 13 has a newer version of this library; the lists below name the older one.
    library=${library/#libunistring.so.5/libunistring.so.2}
    [[ " $* " == *" $library "* ]] || say "$file needs $library, which is not on its list"
  done < <(objdump -p "$file" | sed -n 's/^ *NEEDED *//p')
}

stage=build/stage$(cat build/stage.prefix 2>/dev/null)
libc=(libc.so.6 libm.so.6 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1)
# The programs of a login contain the parts of libstdc++ and libgcc_s that they use.
login=("${libc[@]}")
runtime=("${libc[@]}" libgcc_s.so.1 libstdc++.so.6)
scripts/manuals.py "$stage/bin" || broken=1
helper=$stage/libexec/pam-uaf/uaf-helper
for module in $(find "$stage" -name pam_uaf.so 2>/dev/null) build/tree/pam_uaf.so; do
  needs_only "$module" libpam.so.0 libc.so.6
done
# No library uses the network: the core must not even be able to.
# libpsl is used only with its built-in list.
needs_only "$helper" "${login[@]}" libcrypto.so.3 libsqlite3.so.0 libpcre2-8.so.0 libunistring.so.2 libpsl.so.5 libseccomp.so.2
needs_only "$stage/libexec/pam-uaf/uaf-chip" "${login[@]}" libtss2-esys.so.0 libtss2-mu.so.0 libcrypto.so.3 libseccomp.so.2
needs_only "$stage/libexec/pam-uaf/uaf-fetch" "${login[@]}" libcurl.so.4 libssl.so.3 libcrypto.so.3 libseccomp.so.2
needs_only "$stage/libexec/pam-uaf/uaf-finger" "${login[@]}" libsystemd.so.0 libseccomp.so.2
needs_only "$stage/libexec/pam-uaf/uaf-name" "${login[@]}" libseccomp.so.2
# libpam: `uafctl pam enable` makes it try a stack before the stack is installed. libpsl: `uafctl doctor` reads the list of
# facets as the helper does.
needs_only "$stage/bin/uafctl" "${runtime[@]}" libpam.so.0 libcrypto.so.3 libsqlite3.so.0 libpcre2-8.so.0 libunistring.so.2 \
  libpsl.so.5
# Lists of components, notices, versions and licences match the linked components.
if [[ -f $helper ]]; then scripts/sbom.py check || broken=1; fi
if [[ -f $helper ]] && (($(stat -c %s "$helper") > 20 * 1024 * 1024)); then
  say "$helper has $(stat -c %s "$helper") bytes: 20 MiB at most"
fi

# The properties that scripts/stage.sh requires from any linker.
for program in "$stage"/bin/* "$stage"/libexec/pam-uaf/*; do
  # A script has no addresses.
  if [[ ${program##*/} == uafctl-gui ]]; then continue; fi
  [[ $(readelf -lW "$program" 2>/dev/null) == *GNU_RELRO* && $(readelf -d "$program") == *BIND_NOW* ]] ||
    say "$program may be written to where its addresses are: it needs -z relro and -z now"
done

if ((broken)); then exit 1; fi
echo "check: every rule is kept"
