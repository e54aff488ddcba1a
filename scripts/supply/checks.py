"""Compares the programs' components with everything that lists them."""

import copy
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from supply import contents, facts, resolved, written
from supply.contents import Contents
from supply.facts import ROOT, Facts
from supply.resolved import Checkout

Inside = dict[str, list[Contents]]


def versions() -> Iterator[str]:
    """Each Package.swift names what it resolves with its version, and components.toml each revision and licence."""
    unused = set(facts.read().swift)
    for package in facts.SWIFT_PACKAGES:
        pinned, found = resolved.pinned(package), resolved.checkouts_of(package)
        unused -= set(found)
        for name in sorted(set(pinned) | set(found)):
            yield from _version(Path(package, "Package.swift"), name, pinned.get(name), found.get(name))
    for name in sorted(unused):
        yield f"components: {name} is in components.toml, and SwiftPM did not resolve it"


def _version(manifest: Path, name: str, pinned: str | None, checkout: Checkout | None) -> Iterator[str]:
    """What is wrong with one package that a manifest names or that was resolved for it."""
    if checkout is None:
        yield f"components: {name} is in {manifest}, and SwiftPM did not resolve it"
        return
    if pinned != checkout.version:
        wanted = f"exactly {pinned}" if pinned else "no version"
        yield f"components: {name} was resolved to {checkout.version}, and {manifest} asks for {wanted}"
    known = facts.read().swift.get(name, {})
    if known.get("revision") != checkout.revision:
        yield f"components: {name} {checkout.version} is {checkout.revision}, and components.toml has another revision"
    if known.get("licence") != checkout.licence():
        said = checkout.licence() or "one that is not known"
        yield f"components: the licence of {name} is {said}, and components.toml says otherwise"


def _elements(text: str) -> tuple[dict[str, dict[str, object]], list[dict[str, str]]]:
    document = json.loads(text)
    return {element["SPDXID"]: element for element in document["packages"]}, document["relationships"]


def differences(text: str, of_programs: list[Contents], symbols: dict[str, set[str]], known: Facts) -> Iterator[str]:
    """Compares a list of components with the programs' NEEDED and symbols, without the linker's map."""
    elements, relations = _elements(text)
    for one in of_programs:
        name = one.program.name
        key = next(
            (key for key, element in elements.items() if key.startswith("SPDXRef-program-") and element["name"] == name), ""
        )
        own = [relation for relation in relations if relation["spdxElementId"] == key]
        loaded = {soname for it in own if it["relationshipType"] == "DYNAMIC_LINK" for soname in it.get("comment", "").split()}
        for soname in sorted(set(contents.needed(one.program)) ^ loaded):
            where = "is not in its list of components" if soname not in loaded else "is in its list of components, and not needed"
            yield f"components: {name}: {soname} {where}"
        listed = {str(elements[it["relatedSpdxElement"]]["name"]) for it in own if it["relationshipType"] == "STATIC_LINK"}
        packages = {package for package in listed if package in known.swift}
        for package in sorted(packages ^ symbols[name]):
            where = "is in it, and not in its list of components" if package not in packages else "is in its list, and not in it"
            yield f"components: {name}: the Swift package {package} {where}"


def _symbols(inside: Inside) -> Iterator[tuple[str, set[str] | str]]:
    """The packages whose symbols each program contains; a sentence instead, if the program there is not the staged one."""
    for package, one in ((package, one) for package, programs in inside.items() for one in programs):
        name, objects = one.program.name, facts.objects_of(package)
        if name.endswith(".so"):
            yield name, set()
        elif contents.build_id(objects / name) != contents.build_id(one.program):
            yield name, f"components: build/stage has another {name} than {objects}: run 'make build'"
        else:
            yield name, contents.packages_by_symbols(objects / name, objects)


def _lets_pass(text: str, programs: list[Contents], symbols: dict[str, set[str]], known: Facts) -> Iterator[str]:
    """Plants errors, and yields those that `differences` misses: each relationship of a program left out in turn, and an
    additional one."""
    document = json.loads(text)
    for number, relation in enumerate(document["relationships"]):
        elements = {element["SPDXID"]: element["name"] for element in document["packages"]}
        name = elements.get(relation["relatedSpdxElement"], "")
        if relation["relationshipType"] != "DYNAMIC_LINK" and name not in known.swift:
            continue
        if relation["relationshipType"] not in ("DYNAMIC_LINK", "STATIC_LINK"):
            continue
        cut, doubled = copy.deepcopy(document), copy.deepcopy(document)
        del cut["relationships"][number]
        for other in doubled["relationships"]:
            if other == relation and "comment" in other:
                other["comment"] += " libplanted.so.1"
        word = (relation.get("comment", "").split() or [name])[0]
        if not any(word in line for line in differences(json.dumps(cut), programs, symbols, known)):
            yield f"components: the check lets pass that {name} is left out"
        if "comment" in relation and not any(
            "libplanted" in line for line in differences(json.dumps(doubled), programs, symbols, known)
        ):
            yield "components: the check lets pass a library that no program needs"


def _valid(path: Path) -> Iterator[str]:
    tool = ROOT / "build/python/bin/pyspdxtools"
    result = subprocess.run([tool, "--infile", path], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        yield f"components: {path.name} is not a valid SPDX document: {result.stdout.strip()}"


def problems(files: dict[str, str], inside: Inside, stage: Path) -> Iterator[str]:
    """All differences."""
    known = facts.read()
    yield from versions()
    yield from written.problems(inside, resolved.checkouts(), known)
    symbols: dict[str, set[str]] = {}
    for name, found in _symbols(inside):
        if isinstance(found, str):
            yield found
            return
        symbols[name] = found
    folder = next(iter(stage.rglob("share/doc/pam-uaf")))
    for name, text in files.items():
        path = folder / name
        shipped = path.read_text(encoding="utf-8") if path.is_file() else ""
        if shipped != text:
            yield f"components: {path} is not what the programs and checkouts give: run 'make build'"
        elif name.endswith(".json"):
            programs = inside[name.removesuffix(".spdx.json")]
            yield from differences(shipped, programs, symbols, known)
            yield from _lets_pass(shipped, programs, symbols, known)
            yield from _valid(path)
