#!/usr/bin/env python3
"""Says what the packages are made of: a list of components (SPDX 2.3) and the notices of others, for each package.

sbom.py write STAGE   writes PACKAGE.spdx.json and PACKAGE.NOTICE into STAGE, of what SwiftPM has built for release
sbom.py check         compares them with the programs in build/stage, the checkouts, both Package.swift, docs/dependencies.md
                      and debian/copyright; prints each difference, and fails if there is any
"""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from supply import checks, contents, facts, notice, resolved, spdx
from supply.facts import PACKAGES, ROOT, SupplyError, objects_of

MODULE_MAP = ROOT / "build/cshim/installed/pam_uaf.so.map"


def _created() -> str:
    """SOURCE_DATE_EPOCH, or else the date of the newest entry in debian/changelog."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        moment = datetime.fromtimestamp(int(epoch), UTC)
    else:
        changelog = (ROOT / "debian/changelog").read_text(encoding="utf-8")
        found = re.search(r"^ -- .*>  (.*)$", changelog, re.MULTILINE)
        if not found:
            raise SupplyError("debian/changelog has no date")
        moment = parsedate_to_datetime(found.group(1)).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _version() -> str:
    found = re.match(r"\S+ \((\S+)\)", (ROOT / "debian/changelog").read_text(encoding="utf-8"))
    return found.group(1) if found else ""


def _toolchain() -> str:
    command = [os.environ.get("SWIFT", "swift"), "--version"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = re.search(r"Swift version (\S+)", said)
    return found.group(1) if found else ""


def _staged(stage: Path, name: str) -> Path:
    found = [path for path in sorted(stage.rglob(name)) if path.is_file() and "share" not in path.relative_to(stage).parts]
    if len(found) != 1:
        raise SupplyError(f"{stage} has {len(found)} programs with the name {name}")
    return found[0]


def documents(stage: Path) -> tuple[dict[str, str], dict[str, list[contents.Contents]]]:
    """The files to write, by name, and what is in each program, by package."""
    known, checkouts = facts.read(), resolved.checkouts()
    build = spdx.Build(_version(), _created(), _toolchain(), checkouts, known)
    files, inside = {}, {}
    for package, programs in PACKAGES.items():
        objects = objects_of(package)
        document = spdx.Document(package, build)
        inside[package] = []
        for name in programs:
            of_linker = MODULE_MAP if name.endswith(".so") else objects / f"{name}.map"
            inside[package].append(contents.linked(_staged(stage, name), of_linker, objects))
            document.add(inside[package][-1])
        files[f"{package}.spdx.json"] = document.text()
        files[f"{package}.NOTICE"] = notice.text(package, notice.notices(inside[package], checkouts, known))
    return files, inside


def _write(stage: Path) -> None:
    found = list(stage.rglob("share/doc/pam-uaf"))
    if len(found) != 1:
        raise SupplyError(f"{stage} has no share/doc/pam-uaf")
    for name, text in documents(stage)[0].items():
        (found[0] / name).write_text(text, encoding="utf-8")


def _check() -> int:
    stage = ROOT / "build/stage"
    files, inside = documents(stage)
    wrong = list(checks.problems(files, inside, stage))
    for line in wrong:
        print(f"check: {line}")
    return 1 if wrong else 0


def main() -> int:
    """Does what the command line says."""
    try:
        match sys.argv[1:]:
            case ["write", stage]:
                _write(Path(stage))
                return 0
            case ["check"]:
                return _check()
            case _:
                print(__doc__, file=sys.stderr)
                return 64
    except (SupplyError, OSError) as problem:
        print(f"check: components: {problem}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
