"""Tests scripts/deps.sh, which `make demo`, `make test` and `make bench` run on the user's own machine.

The package archive is in the machine itself: it has an empty package for each name that the script installs.
"""

import hashlib
import pathlib
import subprocess

from lab.table import must, row

SCRIPT = pathlib.Path("scripts/deps.sh")
ARCHIVE = "/var/tmp/archive"
# Above every real version, because installed packages conflict with older versions of some of these.
OLD, NEW = "9:1", "9:2"


def _wanted(machine, script):
    """The names that the script asks for on this release."""
    return machine.says("sh", "-c", f". /etc/os-release; exec bash {script} --list $VERSION_CODENAME").split()


def _installed(machine):
    """Each installed package with its version."""
    said = machine.says("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n")
    words = [line.split() for line in said.splitlines()]
    return {name: version for status, name, *rest in words if status == "installed" for version in rest}


def _file(name, version):
    return f"{ARCHIVE}/{name}_{version.partition(':')[2]}.deb"


def _pack(machine, name, version, **fields):
    """Puts an empty package into the archive; returns its entry for the archive's list."""
    inside, file = machine.folder / "inside" / f"{name}_{version}", machine.path(_file(name, version))
    (inside / "DEBIAN").mkdir(parents=True, exist_ok=True)
    control = "".join(
        f"{key}: {value}\n"
        for key, value in {
            "Package": name,
            "Version": version,
            "Architecture": "all",
            "Maintainer": "nobody <nobody@example.org>",
            "Description": "nothing",
            **fields,
        }.items()
    )
    (inside / "DEBIAN/control").write_text(control)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", inside, file], check=True, stdout=subprocess.DEVNULL)
    content = file.read_bytes()
    return f"{control}Filename: ./{file.name}\nSize: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n\n"


def _offer(machine, names, **special):
    """Makes an archive with the newer version of each named package; `special` has additional fields for some of them."""
    machine.path(ARCHIVE).mkdir(exist_ok=True)
    listed = [_pack(machine, name, NEW, **special.get(name, {})) for name in names]
    machine.write(f"{ARCHIVE}/Packages", "".join(listed))
    # apt does not read a list again whose time stamp is the same to the second, so the old lists are removed.
    machine.run("sh", "-c", "rm -rf /var/lib/apt/lists/*")
    machine.write("/etc/apt/sources.list", f"deb [trusted=yes] file:{ARCHIVE} ./\n")


def _install_old(machine, *names):
    for name in names:
        _pack(machine, name, OLD)
        machine.run("dpkg", "--install", _file(name, OLD))


@row(
    "P18",
    "run scripts/deps.sh where packages are missing, others old, and one missing package needs one of those newer",
    "the missing ones are installed; what has to be upgraded is named before it is; nothing else changes, nothing is removed",
)
def dependencies(lab):
    with lab.bare(booted=False) as machine:
        machine.write("/usr/local/bin/swift", "#!/bin/sh\necho Swift version 6.2\n", 0o755)
        machine.write("/usr/local/bin/python3", "#!/bin/sh\n", 0o755)
        script = machine.bring(SCRIPT, "/var/tmp/deps.sh")
        there = _installed(machine)
        # The Python from elsewhere can make environments, too.
        not_missing = {"make", "python3", "python3-venv", *there}
        missing = [name for name in _wanted(machine, script) if name not in not_missing]
        old = ["make", "gcc-library", "unneeded", "kept"]
        needs_newer = {"gcc": {"Depends": f"gcc-library (= {NEW})"}}
        _offer(machine, missing + old, **needs_newer, valgrind={"Conflicts": "kept"})
        _install_old(machine, *old)
        before = _installed(machine)
        unbuilt = machine.says("bash", script, "--missing-to-build").split()
        must({"gcc", "libpam0g-dev"} <= set(unbuilt) < set(missing), f"named as missing for the build: {unbuilt}")

        refused = machine.run("bash", script, check=False)
        must(refused.returncode != 0 and "deps: not installed: " in refused.stdout, f"with a removal: {refused.stdout[-600:]}")
        must(_installed(machine) == before, "a package was changed although one had to be removed for that")

        _offer(machine, missing + old, **needs_newer)
        said = machine.run("bash", script).stdout
        told, upgraded = said.find(f"deps:   gcc-library, from {OLD} to {NEW}\n"), said.find("Unpacking gcc-library")
        must(0 <= told < upgraded, f"gcc-library is upgraded, and that is told at {told}: {said[-600:]}")
        must(said.count("deps:   ") == 1, f"more is told as upgraded: {said}")
        expected = before | dict.fromkeys([*missing, "gcc-library"], NEW)
        must(_installed(machine) == expected, f"changed otherwise: {_installed(machine).items() ^ expected.items()}")
        must(machine.run("bash", script).stdout == "deps: everything is installed\n", "not everything is there afterwards")
        unbuilt = machine.says("bash", script, "--missing-to-build").split()
        must(not unbuilt, f"named as missing for the build afterwards: {unbuilt}")
        return (
            f"{len(missing)} missing ones installed, gcc-library named and upgraded, 3 old ones as before; "
            "where one had to be removed: refused, nothing changed"
        )
