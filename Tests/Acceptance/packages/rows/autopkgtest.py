"""debian/tests, as autopkgtest runs them: what Debian's own machines would see of the packages."""

import pathlib
import re
import subprocess

from lab.table import must, row
from packages import scene

TESTS = pathlib.Path("debian/tests")
_SOURCE, _SCRATCH = "/var/tmp/source", "/var/tmp/scratch"


def _names():
    """The tests that debian/tests/control names."""
    listed = re.findall(r"^Tests: (.*)$", (TESTS / "control").read_text(), re.MULTILINE)
    return [name for line in listed for name in line.split()]


@row(
    "P36",
    "run each test of debian/tests on a machine of its own, from the source's folder and as root",
    "each passes; login leaves people, stacks and configuration as it found them",
)
def autopkgtest(lab):
    names = _names()
    must({"login", "removal"} <= set(names), f"debian/tests/control names {names}")
    seen = []
    for name in names:
        with lab.bare(booted=False) as machine:
            scene.install(machine, lab.archives)
            for folder in (f"{_SOURCE}/debian", _SCRATCH):
                machine.path(folder).mkdir(parents=True)
            subprocess.run(["cp", "-a", TESTS, machine.path(f"{_SOURCE}/debian")], check=True)
            kept = ("/etc/passwd", scene.CONFIGURATION)
            before = [machine.read(path) for path in kept]
            command = f"cd {_SOURCE} && exec debian/tests/{name}"
            done = machine.run("sh", "-c", command, check=False, AUTOPKGTEST_TMP=_SCRATCH)
            must(done.returncode == 0, f"{name} ended with {done.returncode}: {done.stdout[-900:]}")
            if name == "login":
                must([machine.read(path) for path in kept] == before, "login has changed /etc/passwd or the configuration")
            seen += [line for line in done.stdout.splitlines() if line.startswith(f"{name}: ")]
    return "; ".join(seen)
