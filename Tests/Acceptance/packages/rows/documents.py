"""The pages that explain the programs: with each package, not compressed, and without a reference to what is missing."""

import re

from lab.table import must, row
from packages import scene

FOLDERS = ("/usr/share/doc/libpam-uaf", "/usr/share/doc/uaf-server")
# Pages and files that only people with the checkout need, and the page that is beside the stacks.
ELSEWHERE = {"CHANGELOG.md", "CONTRIBUTING.md", "proofs/README.md", "pam.d/README.md"}
_LINK = re.compile(r"\]\(([^)#]+)\)")
_NAMED = re.compile(r"(?<![\w/.-])(?:(?:docs|examples)/[\w./-]*[\w/]|[\w./-]*\w\.md)(?!\w)")


def references(text):
    """The paths that a page names: of links from its own folder, and of names as the pages write them from the top."""
    links = {target for target in _LINK.findall(text) if "://" not in target}
    return links, set(_NAMED.findall(_LINK.sub("", text)))


def missing(folder, page, text):
    """The references of a page that lead to nothing in a folder of documents."""
    links, names = references(text)
    found = {name for name in links if not (page.parent / name).exists()}
    return found | {name for name in names - ELSEWHERE if not (folder / name).exists() and not (page.parent / name).exists()}


def complete(machine, place):
    """Checks the documents in a folder; returns how many pages and references there are."""
    folder = machine.path(place)
    packed = [file.name for file in folder.rglob("*.md.gz")]
    must(not packed, f"{place}: compressed: {packed}")
    pages = [page for page in sorted(folder.rglob("*.md")) if "examples" not in page.relative_to(folder).parts]
    must(len(pages) > 30, f"{place} has {len(pages)} pages")
    count = 0
    for page in pages:
        text = page.read_text()
        lost = missing(folder, page, text)
        must(not lost, f"{place}/{page.relative_to(folder)} names what is not there: {sorted(lost)}")
        count += sum(len(found) for found in references(text))
    invented = missing(folder, pages[0], "See `docs/no-such-page.md`, [this](nothing.md) and `examples/no-such.yml`.")
    must(len(invented) == 3, f"of three references to nothing, {sorted(invented)} were found")
    return len(pages), count


@row(
    "P23",
    "read the pages of each package, installed without the other one",
    "none is compressed, each reference among them leads to a page or an example that is there, and README.Debian says where "
    "they are",
)
def documents(lab):
    seen = []
    for package, place in zip(scene.PACKAGES, FOLDERS, strict=True):
        with lab.bare(booted=False) as machine:
            scene.install(machine, {package: lab.archives[package]})
            pages, count = complete(machine, place)
            said = machine.read(f"{place}/README.Debian")
            must(f"{place}/docs" in said, f"README.Debian of {package} does not say where the pages are")
            seen.append(f"{package}: {pages} pages, {count} references")
    return "; ".join(seen)
