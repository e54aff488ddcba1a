"""What is released: one commit, whose version nobody has released before."""

import re
from dataclasses import dataclass
from pathlib import Path

from publish.commands import ROOT, Refusal, run, text

RELEASES = ROOT / "build/release"


@dataclass(frozen=True)
class Release:
    """A version and the commit that it is."""

    version: str
    commit: str

    @property
    def folder(self) -> Path:
        return RELEASES / self.version

    def still_stands(self) -> None:
        """Refuses to go on if the checkout is not that commit any more: building takes long."""
        if text("git", "rev-parse", "HEAD") != self.commit:
            raise Refusal("the checkout has moved to another commit while the packages were built")
        _clean()
        _is_new(self)


def _clean() -> None:
    changed = text("git", "--no-optional-locks", "status", "--porcelain").splitlines()
    if changed:
        first = changed[0].split(maxsplit=1)[-1]
        raise Refusal(f"the tree has changes that are not committed, such as {first}: commit or remove them")


def _is_new(release: Release) -> None:
    tags = text("git", "tag", "--list", release.version, f"v{release.version}", f"debian/{release.version}").split()
    if tags:
        raise Refusal(f"version {release.version} exists: it has the tag {tags[0]}")
    if release.folder.exists():
        raise Refusal(f"version {release.version} exists: {release.folder.relative_to(ROOT)} is there")


def _version() -> str:
    first = (ROOT / "debian/changelog").read_text(encoding="utf-8").partition("\n")[0]
    found = re.fullmatch(r"pam-uaf \((\d+\.\d+\.\d+)\) (\S+); urgency=\w+", first)
    if not found:
        raise Refusal(f"debian/changelog does not name a version: it begins with '{first}'")
    if found[2] == "UNRELEASED":
        raise Refusal(f"debian/changelog says that {found[1]} is UNRELEASED")
    return found[1]


def _is_described(version: str) -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        raise Refusal(f"CHANGELOG.md does not name version {version}, which debian/changelog has, with its date")
    coming = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## )", changes, re.MULTILINE | re.DOTALL)
    if coming and re.search(r"^- ", coming[1], re.MULTILINE):
        raise Refusal(f"CHANGELOG.md has changes under [Unreleased], which version {version} would not name")


def release() -> Release:
    """The release that this checkout is, if it may be one."""
    if run("git", "rev-parse", "--verify", "--quiet", "HEAD").returncode != 0:
        raise Refusal("this is no git checkout with a commit, and a release is made of a commit")
    _clean()
    version = _version()
    _is_described(version)
    found = Release(version, text("git", "rev-parse", "HEAD"))
    _is_new(found)
    return found
