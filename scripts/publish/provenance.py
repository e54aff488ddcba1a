"""How the files of a release were made: an in-toto statement with SLSA's provenance.

The forms are in-toto's Statement v1 and SLSA's Provenance v1. It is a claim of the person who signs it, made by a build on a
machine of theirs: level 1 of SLSA's build track. What makes it worth more is that anybody can build the same bytes.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from publish.checkout import Release
from publish.commands import ROOT
from publish.packages import Package

# The page that explains them is docs/verify.md. Like the maintainer's address, this host stands for one that is still to come.
_HOME = "https://packages.example.org/pam-uaf"


def digest(file: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _dependencies(release: Release, packages: list[Package]) -> list[dict[str, object]]:
    """The commit, then every component of every package once."""
    source: dict[str, object] = {"name": "pam-uaf", "uri": f"git+{_HOME}", "digest": {"gitCommit": release.commit}}
    known = {json.dumps(found, sort_keys=True): found for package in packages for found in package.dependencies()}
    return [source, *(known[key] for key in sorted(known))]


def statement(
    release: Release, packages: list[Package], files: Iterable[Path], folder: Path, began: datetime, ended: datetime
) -> bytes:
    """The statement as JSON, about some files of the release's folder."""
    subject = [{"name": str(file.relative_to(folder)), "digest": {"sha256": digest(file)}} for file in sorted(files)]
    distributions = sorted({package.distribution for package in packages})
    document = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{_HOME}/make-release/v1",
                "externalParameters": {"version": release.version, "distributions": distributions},
                # Swift writes it into four places of uaf-server (docs/packagers.md): who builds again needs one as long.
                "internalParameters": {"lengthOfPath": len(str(ROOT))},
                "resolvedDependencies": _dependencies(release, packages),
            },
            "runDetails": {
                "builder": {"id": f"{_HOME}/a-maintainers-machine"},
                "metadata": {"startedOn": _moment(began), "finishedOn": _moment(ended)},
            },
        },
    }
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
