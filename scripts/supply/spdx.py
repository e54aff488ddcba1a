"""Writes what one of our packages contains as an SPDX 2.3 document. The same programs and sources give the same bytes."""

import hashlib
import json
import re
from dataclasses import dataclass, field

from supply.contents import Contents
from supply.facts import Facts
from supply.owners import Owner, library_owner, owner_of
from supply.resolved import Checkout

Element = dict[str, object]


@dataclass
class Build:
    """The values that are common to the whole build."""

    version: str
    created: str
    toolchain: str
    checkouts: dict[str, Checkout]
    facts: Facts


def _identifier(*parts: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts))


@dataclass
class Document:
    """The components of one package, gathered program by program."""

    package: str
    build: Build
    elements: dict[str, Element] = field(default_factory=dict)
    relations: set[tuple[str, str, str, str]] = field(default_factory=set)

    def component(self, kind: str, name: str, version: str, licence: str, **more: object) -> str:
        """Adds a component once, and returns its identifier."""
        key = _identifier(kind, name)
        purl = more.pop("purl", "")
        element: Element = {
            "SPDXID": key,
            "name": name,
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": licence,
            "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "supplier": "NOASSERTION",
            **more,
        }
        if not version:
            del element["versionInfo"]
        if purl:
            locator = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
            element["externalRefs"] = [locator]
        self.elements[key] = element
        return key

    def relate(self, one: str, kind: str, other: str, comment: str = "") -> None:
        """Adds a relationship once."""
        self.relations.add((one, kind, other, comment))

    def add(self, contents: Contents) -> None:
        """Adds a program and all its components."""
        digest = hashlib.sha256(contents.program.read_bytes()).hexdigest()
        program = self.component(
            "program",
            contents.program.name,
            self.build.version,
            "Apache-2.0",
            primaryPackagePurpose="LIBRARY" if contents.program.suffix == ".so" else "APPLICATION",
            checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
        )
        self.relate(_identifier("package", self.package), "CONTAINS", program)
        for name in sorted(contents.packages):
            self.relate(program, "STATIC_LINK", self._swift(name))
        for name, entry in self.build.facts.vendored.items():
            if entry["module"] in contents.modules:
                self._vendored(name, entry, contents)
        for file in sorted(contents.runtime):
            self.relate(program, "STATIC_LINK", self._runtime(file))
        self._libraries(program, contents.needed)

    def _swift(self, name: str) -> str:
        checkout = self.build.checkouts[name]
        facts = self.build.facts.swift[name]
        source = f"git+{checkout.url}@{checkout.revision}"
        return self.component("swift", name, checkout.version, facts["licence"], downloadLocation=source, purl=checkout.purl)

    def _vendored(self, name: str, entry: dict[str, str], contents: Contents) -> None:
        module = entry["module"]
        for package in sorted(contents.packages):
            folder = self.build.checkouts[package].folder / "Sources" / module
            if not folder.is_dir():
                continue
            version = ""
            if "revision" in entry:
                found = re.search(r"\b[0-9a-f]{40}\b", (folder / entry["revision"]).read_text(encoding="utf-8"))
                version = found.group(0) if found else ""
            elif "version" in entry:
                version = (folder / entry["version"]).read_text(encoding="utf-8").strip()
            inner = self.component("vendored", name, version, entry["licence"], homepage=entry["url"])
            self.relate(self._swift(package), "CONTAINS", inner, module)

    def _runtime(self, path: str) -> str:
        name = self.build.facts.runtime_of(path.rsplit("/", 1)[-1])
        entry = self.build.facts.runtime[name]
        owner = owner_of(path)
        version = self.build.toolchain if name.startswith("swift") else owner.version if owner else ""
        more = {"purl": owner.purl, "sourceInfo": f"from the package {owner.name}"} if owner else {}
        return self.component("runtime", name, version, str(entry["licence"]), homepage=str(entry["url"]), **more)

    def _libraries(self, program: str, sonames: list[str]) -> None:
        grouped: dict[Owner | str, list[str]] = {}
        for soname in sonames:
            grouped.setdefault(library_owner(soname) or soname, []).append(soname)
        for owner, names in grouped.items():
            licences = sorted({self.build.facts.licence_of_library(soname) for soname in names})
            licence = licences[0] if len(licences) == 1 else " AND ".join(f"({one})" for one in licences)
            if isinstance(owner, Owner):
                source = f"from the source package {owner.source}"
                key = self.component("library", owner.name, owner.version, licence, purl=owner.purl, sourceInfo=source)
            else:
                key = self.component("library", owner, "", licence)
            self.relate(program, "DYNAMIC_LINK", key, " ".join(sorted(names)))

    def text(self) -> str:
        """The document as JSON."""
        whole = self.component("package", self.package, self.build.version, "Apache-2.0", primaryPackagePurpose="INSTALL")
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", whole)
        packages = [self.elements[key] for key in sorted(self.elements)]
        relations = []
        for one, kind, other, comment in sorted(self.relations):
            relation = {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
            relations.append(relation | ({"comment": comment} if comment else {}))
        inside = hashlib.sha256(json.dumps([packages, relations], sort_keys=True).encode()).hexdigest()
        name = f"{self.package}-{self.build.version}"
        document = {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": name,
            # It must differ for every document, and be the same for the same content, so it contains the content's checksum.
            "documentNamespace": f"https://packages.example.org/spdx/{name}-{inside}",
            "creationInfo": {"created": self.build.created, "creators": [f"Tool: pam-uaf-sbom-{self.build.version}"]},
            "packages": packages,
            "relationships": relations,
        }
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
