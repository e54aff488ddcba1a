#!/usr/bin/env python3
"""Makes a release of this checkout's commit in build/release/VERSION, and signs it; docs/verify.md says what is in it.

make_release.py KEY [REPOSITORY_KEY [DISTRIBUTION ...]]

KEY             path of the OpenSSH key that signs; of its public part, if an agent or a security key has the private one
REPOSITORY_KEY  fingerprint of the OpenPGP key in gpg's keyring that signs the repository for apt; empty for none
DISTRIBUTION    releases of Debian to build packages for, instead of all of them

What prevents it is said in one line, and nothing is written then. Packages that are already built from the same files are
taken as they are, so a run that was interrupted goes on where it was.
"""

import os
import subprocess
import sys
from datetime import UTC, datetime

from publish import checkout, files, keys, packages
from publish.commands import ROOT, Refusal


def _arguments(words: list[str]) -> tuple[str, str, list[str]]:
    key, repository_key, *distributions = [*words, "", ""][: max(2, len(words))]
    unknown = sorted(set(distributions) - set(packages.DISTRIBUTIONS))
    if unknown:
        raise Refusal(f"there is no {', '.join(unknown)}: packages are built for {' and '.join(packages.DISTRIBUTIONS)}")
    return key, repository_key, distributions or list(packages.DISTRIBUTIONS)


def _release(words: list[str]) -> None:
    given, repository_given, distributions = _arguments(words)
    key, repository_key = keys.signing_key(given), keys.repository_key(repository_given)
    release = checkout.release()
    if subprocess.run(["scripts/deps.sh"], cwd=ROOT, check=False).returncode != 0:
        raise Refusal("what a release needs is not installed")
    began = datetime.now(UTC)
    files.write(release, packages.build(distributions, release.version), key, repository_key, began)
    print(f"release: build/release/{release.version} is signed by {key.fingerprint}")
    if repository_key is None:
        print("release: its repository for apt has no signature, because no REPOSITORY_KEY was given")
    print(f"release: now `git tag --sign v{release.version} {release.commit}`")


def main() -> int:
    """Does what the command line says."""
    os.umask(0o022)
    try:
        _release(sys.argv[1:])
    except (Refusal, OSError) as problem:
        print(f"release: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
