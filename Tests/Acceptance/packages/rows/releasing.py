"""`make release`: what it refuses and leaves behind, and that its files can be verified as docs/verify.md says."""

import json
import pathlib
import re
import shutil
import subprocess

from lab.table import must, row
from packages.publication import git, ssh_key
from packages.rows.repository import flip

# The files that the page's first command reads. Its second one names each of the others that has changed.
_TRUSTED = ("SHA256SUMS", "SHA256SUMS.sig", "allowed_signers")
PAGE = pathlib.Path("docs/verify.md")


def _page_commands():
    """The two commands with which the page verifies a download; its third one builds."""
    text = PAGE.read_text()
    block = re.search(r"^    ssh-keygen -Y verify .*?\n\n", text, re.MULTILINE | re.DOTALL)
    assert block, f"{PAGE} has no block that verifies"
    commands = [line.strip() for line in block.group(0).splitlines() if line.strip()]
    must(len(commands) == 3 and "rebuild.sh" in commands[2], f"{PAGE} verifies by {commands}")
    return commands[:2]


def _verify(folder):
    """Runs the page's commands in a folder; returns the output of the first one that fails, or nothing."""
    for command in _page_commands():
        done = subprocess.run(["sh", "-c", command], cwd=folder, check=False, text=True, capture_output=True)
        if done.returncode != 0:
            return done.stdout + done.stderr
    return ""


def _verify_alone(folder, name):
    """Whether a file's own signature verifies, by the page's first command with its name."""
    command = _page_commands()[0].replace("SHA256SUMS", name)
    return subprocess.run(["sh", "-c", command], cwd=folder, check=False, capture_output=True).returncode == 0


def _stranger(folder, place):
    """Signs SHA256SUMS in a folder with a stranger's key; `allowed_signers` stays."""
    key = ssh_key(place / "stranger")
    (folder / "SHA256SUMS.sig").unlink()
    _sign(key, "pam-uaf-release", folder / "SHA256SUMS")


def _sign(key, namespace, file):
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", namespace, file], check=True, capture_output=True)


def _for_something_else(folder, key):
    """The right key's signature, but one that was made for a mail."""
    (folder / "SHA256SUMS.sig").unlink()
    _sign(key, "email", folder / "SHA256SUMS")


def _forged(folder):
    """Changes a package, and corrects its sum."""
    package = next(folder.glob("libpam-uaf_*.deb"))
    before = subprocess.run(["sha256sum", package], check=True, text=True, capture_output=True).stdout.split()[0]
    flip(package)
    after = subprocess.run(["sha256sum", package], check=True, text=True, capture_output=True).stdout.split()[0]
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(before, after))


@row(
    "P33",
    "verify a release as docs/verify.md says, then with one bit different in each of its files, then with others' signatures",
    "the release verifies; each changed file is named, and each signature of somebody else or for something else is refused",
)
def verify(lab):
    publication = lab.publication()
    release = publication.folder
    must(not _verify(release), f"the release does not verify: {_verify(release)}")
    names = sorted(str(path.relative_to(release)) for path in release.rglob("*") if path.is_file())
    with lab.scratch() as place:
        copy = place / "changed"
        shutil.copytree(release, copy)
        listed = [name for name in names if name not in _TRUSTED]
        for name in listed:
            flip(copy / name)
        said = _verify(copy)
        for name in listed:
            must(f"{name}: FAILED" in said, f"{name} changed, and it is not named: {said!r}")
            flip(copy / name)
        for name in _TRUSTED:
            flip(copy / name)
            must(_verify(copy), f"{name} changed, and the release verifies")
            flip(copy / name)
        must(not _verify(copy), f"changed back, it does not verify: {_verify(copy)}")
        must(_verify_alone(copy, "provenance.json"), "the signature of provenance.json does not verify")
        flip(copy / "provenance.json")
        must(not _verify_alone(copy, "provenance.json"), "provenance.json verifies with one bit different")
        flip(copy / "provenance.json")
        for what, forge in (
            ("a stranger", lambda folder: _stranger(folder, place)),
            ("a mail", lambda folder: _for_something_else(folder, publication.key)),
            ("corrected sums", _forged),
        ):
            forge(copy)
            must("signature" in _verify(copy).lower(), f"{what}: {_verify(copy)!r}")
    return f"{len(names)} files verify; one bit of each, and 3 signatures that are not the release's, refused"


@row(
    "P34",
    "read the provenance of a release, and make its source archive again from the commit",
    "an in-toto statement of SLSA's form whose subjects are the release's files, with commit and components; "
    "the archive has the same bytes",
)
def provenance(lab):
    publication = lab.publication()
    release = publication.folder
    statement = json.loads((release / "provenance.json").read_text())
    kinds = statement["_type"], statement["predicateType"]
    must(kinds == ("https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"), f"kinds: {kinds}")
    sums = dict(line.split("  ")[::-1] for line in (release / "SHA256SUMS").read_text().splitlines())
    subjects = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    packages = {path.name for path in release.glob("*.deb")} | {path.name for path in release.glob("*.spdx.json")}
    archive = f"pam-uaf-{publication.version}.tar.gz"
    must(set(subjects) == packages | {archive}, f"subjects: {sorted(subjects)}")
    must(all(sums[name] == digest for name, digest in subjects.items()), "a subject's digest is not the one of SHA256SUMS")
    definition = statement["predicate"]["buildDefinition"]
    commit = git(publication.checkout, "rev-parse", "HEAD").strip()
    dependencies = definition["resolvedDependencies"]
    must(dependencies[0]["digest"] == {"gitCommit": commit}, f"the source is {dependencies[0]}, and the commit {commit}")
    names = {dependency["name"] for dependency in dependencies}
    must({"swift", "swift-argument-parser", "swift-nio", "libpam0g"} <= names, f"components: {sorted(names)}")
    with lab.scratch() as place:
        made = place / "again.tar"
        git(
            publication.checkout,
            "-c",
            "tar.umask=0022",
            "archive",
            f"--prefix=pam-uaf-{publication.version}/",
            "--output",
            made,
            commit,
        )
        unpacked = subprocess.run(["gzip", "-dc", release / archive], check=True, stdout=subprocess.PIPE).stdout
        must(unpacked == made.read_bytes(), "the source archive is not what git makes of the commit")
    return f"{len(subjects)} subjects, {len(dependencies)} dependencies, commit {commit[:12]}; {archive} is git's"


def _in_place_of_sources(folder, version, packages):
    """A source archive whose build takes no time: it brings packages that are there."""
    build = folder / f"pam-uaf-{version}/scripts/deb.sh"
    build.parent.mkdir(parents=True)
    build.write_text(f"#!/bin/sh\nmkdir -p build/packages && cp {packages}/*.deb build/packages\n")
    build.chmod(0o755)
    archive = folder / f"pam-uaf-{version}.tar.gz"
    subprocess.run(["tar", "-cz", "-C", folder, "-f", archive, f"pam-uaf-{version}"], check=True)
    return archive


@row(
    "P37",
    "build a release again by scripts/publish/rebuild.sh, from an archive that brings packages along: the same ones, then one "
    "that differs, then one of another version",
    "it says the same of each; it names the one that differs, and the one that the release does not have; nothing is left behind",
)
def rebuild(lab):
    publication = lab.publication()
    with lab.scratch() as place:
        release, packages = place / "release", place / "packages"
        packages.mkdir()
        shutil.copytree(publication.folder, release, ignore=shutil.ignore_patterns("apt"))
        for archive in lab.released.values():
            shutil.copy(archive, packages)
        shutil.copy(_in_place_of_sources(place, publication.version, packages), release)

        def compare():
            done = subprocess.run(["scripts/publish/rebuild.sh", release], check=False, text=True, capture_output=True)
            return done.returncode, done.stdout + done.stderr

        status, said = compare()
        built = re.findall(r"building \S+ in (\S+)", said)
        same = [name for name in (archive.name for archive in lab.released.values()) if f" {name}\n" in said]
        must(status == 0 and len(same) == 3, f"the same packages: {status} {said}")
        must(len(built[0]) == len(str(publication.checkout)), f"built in {built}, and released in {publication.checkout}")
        must(not pathlib.Path(built[0]).exists(), f"{built[0]} is left behind")
        changed = packages / lab.archives["uaf-server"].name
        shutil.copy(lab.packed_again("uaf-server", place, lab.version), changed)
        status, said = compare()
        must(status == 1 and f"{changed.name} differs" in said, f"a package that differs: {status} {said}")
        changed.rename(packages / "uaf-server_9.9.9_amd64.deb")
        status, said = compare()
        must(status == 1 and "uaf-server_9.9.9_amd64.deb is not in SHA256SUMS" in said, f"another package: {status} {said}")
    return f"{' and '.join(same)} are the same, in a folder with a path of {len(built[0])} characters; two others were named"


# --- What is refused


def _text(publication, name, before, after):
    """Changes a file of the copy in a commit."""
    file = publication.checkout / name
    text = file.read_text()
    must(before in text, f"{name} has no {before!r}")
    file.write_text(text.replace(before, after, 1))
    git(publication.checkout, "commit", "--all", "--quiet", "--message", "Change")


def _tag(publication):
    git(publication.checkout, "tag", f"v{publication.version}")


def _folder(publication):
    publication.folder.mkdir(parents=True)


def _untracked(publication):
    (publication.checkout / "left-behind").write_text("")


def _restore(publication, commit):
    git(publication.checkout, "reset", "--hard", "--quiet", commit)
    git(publication.checkout, "clean", "--force", "--quiet")
    for tag in git(publication.checkout, "tag", "--list").split():
        git(publication.checkout, "tag", "--delete", tag)
    shutil.rmtree(publication.checkout / "build/release", ignore_errors=True)
    publication.is_built()


def _cases(publication, place):
    """What each refused call is given and finds, and the words of its one line."""
    version, key = publication.version, publication.key
    text, stranger = place / "text", ssh_key(place / "other")
    text.write_text("no key\n")
    openpgp = place / "openpgp"
    openpgp.write_text(publication.gpg("--armor", "--export-secret-keys", publication.repository_key))
    allowed = f'\npam-uaf namespaces="pam-uaf-release" {stranger.with_suffix(".pub").read_text()}'
    coming = "## [Unreleased]\n\n### Added\n\n- Something.\n\n"
    return {
        "no key": ({}, None, "no key: KEY="),
        "a path of nothing": ({"key": place / "nothing"}, None, "is no file"),
        "a key that is no key": ({"key": text}, None, "is no OpenSSH key"),
        "an OpenPGP key as KEY": ({"key": openpgp}, None, "is an OpenPGP key"),
        "a public key without its private one": ({"key": _alone(stranger, place)}, None, "cannot sign"),
        "a key that is not the project's": (
            {"key": key},
            lambda p: _text(p, "docs/allowed_signers", "\n", allowed),
            "is not among",
        ),
        "a path as REPOSITORY_KEY": ({"key": key, "repository_key": openpgp}, None, "is no fingerprint"),
        "a REPOSITORY_KEY that gpg does not have": ({"key": key, "repository_key": "AB" * 20}, None, "gpg cannot sign"),
        "a file that no commit has": (
            {"key": key},
            _untracked,
            "the tree has changes that are not committed, such as left-behind",
        ),
        "a tag": ({"key": key}, _tag, f"version {version} exists: it has the tag v{version}"),
        "a folder": ({"key": key}, _folder, f"version {version} exists: build/release/{version} is there"),
        "no version in CHANGELOG.md": (
            {"key": key},
            lambda p: _text(p, "CHANGELOG.md", f"## [{version}]", "## [9.9.9]"),
            "not name",
        ),
        "changes without a version": ({"key": key}, lambda p: _text(p, "CHANGELOG.md", "## [", coming + "## ["), "[Unreleased]"),
        "UNRELEASED": ({"key": key}, lambda p: _text(p, "debian/changelog", ") unstable;", ") UNRELEASED;"), "UNRELEASED"),
        "a release of Debian that is none": ({"key": key, "distributions": "sid"}, None, "there is no sid"),
    }


def _alone(key, place):
    """A public key in a folder without its private key."""
    folder = place / "alone"
    folder.mkdir()
    return pathlib.Path(shutil.copy(key.with_suffix(".pub"), folder))


def _in_place_of(folder, name, script):
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return folder


@row(
    "P35",
    "make a release without a key, with one that is none, of a tree with changes, of a version that exists or that no changelog "
    "names; and let a step fail, and the checkout change meanwhile",
    "one line each time, and nothing is written or left behind; with KEY alone and none of this, it is made, and says that its "
    "repository has no signature",
)
def refused(lab):
    publication = lab.unpublished()
    commit = git(publication.checkout, "rev-parse", "HEAD").strip()
    with lab.scratch() as place:
        cases = _cases(publication, place)
        for what, (given, change, expected) in cases.items():
            if change:
                change(publication)
            before = publication.files()
            status, said, errors = publication.ask(**given)
            must(status != 0 and not said and len(errors) == 1 and expected in errors[0], f"{what}: {status} {said!r} {errors}")
            after = publication.files()
            must(after == before, f"{what}: files have changed: {after.items() ^ before.items()}")
            if change:
                _restore(publication, commit)

        meanwhile = {
            "a step that fails": (_in_place_of(place / "fails", "reprepro", "exit 1"), "reprepro has failed"),
            "a tree that changes": (
                _in_place_of(place / "changes", "reprepro", 'touch meanwhile; exec /usr/bin/reprepro "$@"'),
                "such as meanwhile",
            ),
        }
        for what, (tools, expected) in meanwhile.items():
            status, _, errors = publication.ask(publication.key, publication.repository_key, tools=tools)
            must(status != 0 and len(errors) == 1 and expected in errors[0], f"{what}: {status} {errors}")
            left = sorted(file.name for file in (publication.checkout / "build/release").iterdir())
            must(not left, f"{what}: build/release has {left}")
            _restore(publication, commit)
        status, said, errors = publication.ask(publication.key)
        must(status == 0 and not errors and "has no signature" in said, f"without REPOSITORY_KEY: {status} {said} {errors}")
        signatures = [*publication.folder.rglob("InRelease"), *publication.folder.rglob("Release.gpg")]
        must(not signatures and not _verify(publication.folder), f"without REPOSITORY_KEY: {signatures}")
    return (
        f"{len(cases)} refused with one line, no file changed; {len(meanwhile)} failed on the way, nothing left of them; "
        "then made, with a repository that has no signature"
    )
