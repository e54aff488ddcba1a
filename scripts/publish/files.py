"""The files of a release, written into a folder that gets its name only when all of them are there and verified."""

import contextlib
import gzip
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from publish import provenance, repository
from publish.checkout import RELEASES, Release
from publish.commands import Refusal, output, run, said
from publish.keys import RepositoryKey, SigningKey, verified
from publish.packages import Package

SUMS, PROVENANCE, ALLOWED = "SHA256SUMS", "provenance.json", "allowed_signers"


@contextlib.contextmanager
def _new_folder(release: Release) -> Iterator[Path]:
    """A folder for the release, which becomes the release's if all goes well, and is deleted otherwise."""
    RELEASES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{release.version}-", dir=RELEASES) as scratch:
        folder = Path(scratch) / release.version
        folder.mkdir()
        yield folder
        release.still_stands()
        folder.rename(release.folder)


def _source(release: Release, folder: Path) -> Path:
    """The commit's files, packed: the same bytes from the same commit, by whomever and whenever."""
    name = f"pam-uaf-{release.version}"
    # git would take the mask for the files' modes from its user's settings.
    packed = output("git", "-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix={name}/", release.commit)
    file = folder / f"{name}.tar.gz"
    with file.open("wb") as opened, gzip.GzipFile(filename="", mode="wb", fileobj=opened, compresslevel=9, mtime=0) as zipped:
        zipped.write(packed)
    return file


def _sums(folder: Path) -> str:
    """What `sha256sum` would print of every file below the folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{provenance.digest(file)}  {file.relative_to(folder)}\n" for file in files)


def _verify(folder: Path) -> None:
    """Does with the new release what docs/verify.md says, before anybody gets it."""
    for name in (SUMS, PROVENANCE):
        if not verified(folder / ALLOWED, folder / f"{name}.sig", (folder / name).read_bytes()):
            raise Refusal(f"the signature of {name} that was just made does not verify")
    checked = run("env", "-C", folder, "sha256sum", "--check", "--strict", "--quiet", SUMS)
    if checked.returncode != 0:
        raise Refusal(f"{SUMS} that was just made does not verify: {said(checked)}")


def write(release: Release, packages: list[Package], key: SigningKey, archive_key: RepositoryKey | None, began: datetime) -> None:
    """Writes build/release/VERSION, all of it or nothing."""
    with _new_folder(release) as folder:
        about = [_source(release, folder)]
        for package in packages:
            about.append(folder / package.file.name)
            shutil.copyfile(package.file, about[-1])
            about.append(about[-1].with_suffix(".spdx.json"))
            about[-1].write_bytes(package.components)
        ended = datetime.now(UTC)
        (folder / PROVENANCE).write_bytes(provenance.statement(release, packages, about, folder, began, ended))
        repository.write(folder / "apt", packages, archive_key, folder.parent / "reprepro")
        (folder / ALLOWED).write_text(key.allowed, encoding="utf-8")
        key.sign(folder / PROVENANCE)
        (folder / SUMS).write_text(_sums(folder), encoding="utf-8")
        key.sign(folder / SUMS)
        _verify(folder)
