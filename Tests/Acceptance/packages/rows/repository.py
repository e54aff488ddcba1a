"""The release's repository for apt: it installs and upgrades, and apt refuses whatever somebody has changed in it."""

import shutil

from lab.table import must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE

PLACE, KEYRING = "/srv/pam-uaf", "pam-uaf-archive-keyring.gpg"


def _use(machine, repository):
    """Lays the repository out in a machine, and tells apt of it and of nothing else, as docs/verify.md says."""
    place = machine.path(PLACE)
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(repository, place)
    machine.run("sh", "-c", "rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb; mkdir -p /etc/apt/keyrings")
    machine.bring(repository / KEYRING, f"/etc/apt/keyrings/{KEYRING}")
    release = machine.run("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").stdout.strip()
    machine.path("/etc/apt/sources.list").unlink(missing_ok=True)
    machine.write(
        "/etc/apt/sources.list.d/pam-uaf.sources",
        f"Types: deb\nURIs: file:{PLACE}\nSuites: {release}\nComponents: main\nSigned-By: /etc/apt/keyrings/{KEYRING}\n",
    )
    return place


def _versions(machine):
    return [machine.says("dpkg-query", "-W", "-f", "${Version}", package) for package in scene.PACKAGES]


@row(
    "P30",
    "install both packages from the release's repository, on a machine that knows its key and nothing else of ours",
    "apt takes the repository without a warning, and both packages from it; each is the one that was built",
)
def install(lab):
    with lab.bare(booted=False) as machine:
        _use(machine, lab.publication().folder / "apt")
        updated = machine.run("apt-get", "update").stdout
        must("W:" not in updated and "E:" not in updated, f"apt-get update: {updated}")
        said = machine.run("apt-get", "install", "--yes", "--no-install-recommends", *scene.PACKAGES).stdout
        must("WARNING" not in said, f"apt-get install: {said}")
        must(_versions(machine) == [lab.version] * 2, f"installed: {_versions(machine)}")
        known = machine.says("uafctl", "--version").strip()
        return f"{' and '.join(scene.PACKAGES)} {lab.version}; {known}"


@row(
    "P31",
    "upgrade from version 0.1.0 by the repository, while sudo asks for the passcode",
    "apt-get upgrade takes both packages; stacks, key and registrations are as before, and the passcode lets in",
)
def upgrade(lab):
    with lab.bare(booted=lab.can_boot) as machine:
        old = {name: lab.packed_again(name, machine.folder, "0.1.0") for name in scene.PACKAGES}
        scene.install(machine, old)
        must(_versions(machine) == ["0.1.0"] * 2, f"before: {_versions(machine)}")
        scene.populate(machine)
        scene.with_server(machine)
        scene.configure(machine)
        scene.register(machine, "mina")
        scene.rescuer(machine, "otto")
        machine.run("uafctl", "pam", "enable", "sudo")
        kept = [machine.path(path) for path in (scene.CONFIGURATION, "/var/lib/pam-uaf/device.key")]
        before, contents = scene.stacks(machine), [file.read_bytes() for file in kept]
        _use(machine, lab.publication().folder / "apt")
        machine.run("apt-get", "update")
        machine.run("apt-get", "upgrade", "--yes")
        must(_versions(machine) == [lab.version] * 2, f"after: {_versions(machine)}")
        must(scene.stacks(machine) == before, "a stack has changed")
        must([file.read_bytes() for file in kept] == contents, "configuration or key have changed")
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "the passcode does not let in afterwards")
        must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "a wrong passcode lets in")
        return f"0.1.0 to {lab.version}, {len(before)} stacks as before, the passcode of before lets in"


def flip(file):
    """Changes one bit in the middle of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def _of(place, pattern):
    return sorted(place.rglob(pattern))


def _flip_all(place, pattern):
    found = _of(place, pattern)
    must(found, f"the repository has no {pattern}")
    for file in found:
        flip(file)


def _without_signature(place):
    for file in [*_of(place, "InRelease"), *_of(place, "Release.gpg")]:
        file.unlink()


def _signed_by_a_stranger(place, publication):
    stranger = publication.openpgp_key("stranger")
    for file in sorted(place.glob("dists/*/Release")):
        publication.gpg(
            "--yes", "--local-user", stranger, "--clear-sign", "--output", str(file.with_name("InRelease")), str(file)
        )
        file.with_name("Release.gpg").unlink()


@row(
    "P32",
    "install from a repository in which one bit of a package, of a list or of the signed file is different, one without a "
    "signature, and one that a stranger has signed",
    "apt refuses each, and installs nothing",
)
def changed(lab):
    publication = lab.publication()
    cases = {
        "a package": lambda place: _flip_all(place / "pool", "libpam-uaf_*.deb"),
        "a list of packages": lambda place: _flip_all(place, "Packages*"),
        "the signed file": lambda place: _flip_all(place, "InRelease"),
        "no signature": _without_signature,
        "a stranger's signature": lambda place: _signed_by_a_stranger(place, publication),
    }
    seen = []
    for what, change in cases.items():
        with lab.bare(booted=False) as machine:
            change(_use(machine, publication.folder / "apt"))
            updated = machine.run("apt-get", "update", check=False)
            installed = machine.run("apt-get", "install", "--yes", "--no-install-recommends", "libpam-uaf", check=False)
            must(installed.returncode != 0, f"{what}: apt installs it: {installed.stdout[-600:]}")
            must(not scene.state_of(machine, "libpam-uaf"), f"{what}: dpkg knows the package")
            must((updated.returncode == 0) == (what == "a package"), f"{what}: apt-get update: {updated.stdout}")
            lines = (updated.stdout + installed.stdout).splitlines()
            error = next(line for line in lines if line.startswith(("E: The repository", "E: Failed to fetch", "W: GPG error")))
            seen.append(f"{what}: {' '.join(error.split()[-6:])}")
    return "; ".join(seen)
