"""What one login costs the server in instructions, allocations and reference counting, counted by callgrind.

The times of a loaded machine say little about a change of a few percent; these counts are nearly the same in each run. A run with
few logins is taken off one with more, so that the server's start does not count. SHA-256 on processors with instructions for it
is nearly free in these counts, and the kernel's part is missing.
"""

import re
import shutil
import tempfile
from pathlib import Path

from measure import cluster, server

ACCOUNTS = 100
# Seconds of the two runs: callgrind makes the server some fifty times slower.
SHORT, LONG = 2, 12
# The functions whose calls count, by the name of their row. Those of Swift for strings call them too.
CALLED = {
    "malloc and its like": {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign"},
    "objects of Swift": {"swift_allocObject"},
    "retain": {"swift_retain", "swift_retain_n"},
    "release": {"swift_release", "swift_release_n"},
}
# What a login may have at most, a tenth more than it has; beyond it `run` fails, so that what was won does not come back.
# Instructions have no bound: those of libcrypto depend on the processor, and are most of them.
BOUNDS = {
    "sqlite": {"malloc and its like": 700, "objects of Swift": 425, "retain": 2_600, "release": 3_600},
    "postgresql": {"malloc and its like": 820, "objects of Swift": 600, "retain": 2_900, "release": 4_100},
}


class Counted(server.Server):
    """A server under callgrind."""

    def command(self):
        counts = self.folder / "counts"
        counts.unlink(missing_ok=True)
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", "--quiet"]
        return [*tool, *super().command()]

    def counted(self, during):
        """The number of logins of a run, and all that it took, by name of the function."""
        self.start()
        try:
            logins = self.load(connections=1, before=1, during=during)["checked"]
        finally:
            self.stop()
        return logins, calls(self.folder / "counts")


def calls(path):
    """How often each function was called, and the instructions of all (as `instructions`)."""
    names, counts, callee = {}, {}, ""
    for line in path.read_text().splitlines():
        if found := re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line):
            number, name = found.groups()
            if name:
                # A second copy of a function within itself, or a version of a symbol, is the same function.
                names[number] = re.sub(r"('\d+|@.*)$", "", name)
            if line.startswith("c"):
                callee = names[number]
        elif line.startswith("calls="):
            counts[callee] = counts.get(callee, 0) + int(line[6:].split()[0])
        elif line.startswith(("totals:", "summary:")):
            counts["instructions"] = int(line.split()[1])
    return counts


def figures(ours):
    """What one login takes, by the name of the row."""
    (few, before), (many, after) = ours.counted(SHORT), ours.counted(LONG)
    if many <= few:
        raise SystemExit(f"bench: {many} logins in {LONG} s and {few} in {SHORT} s: callgrind is too slow on this machine")

    def each(names):
        return sum(after.get(name, 0) - before.get(name, 0) for name in names) / (many - few)

    return {"instructions": each({"instructions"})} | {row: each(names) for row, names in CALLED.items()}


def run(program, engines=("sqlite", "postgresql")):
    """Prints the counts of each engine, and ends with an error if one is over its bound."""
    server.build()
    folder = Path(tempfile.mkdtemp(prefix="counts.", dir=server.BUILT))
    over = []
    try:
        for engine in engines:
            postgresql = cluster.Cluster(0) if engine == "postgresql" else None
            try:
                url = postgresql.new_database() if postgresql else None
                plain = server.Server(program, folder / engine, ACCOUNTS, url=url).prepare()
                ours = Counted(program, plain.folder, ACCOUNTS, url=url)
                print(f"{engine}: one login")
                for row, value in figures(ours).items():
                    bound = BOUNDS[engine].get(row)
                    print(f"  {row:<24}{value:>12,.0f}" + (f"  at most {bound:,}" if bound else ""), flush=True)
                    if bound and value > bound:
                        over.append(f"{engine}: {row}")
            finally:
                if postgresql:
                    postgresql.stop()
    finally:
        shutil.rmtree(folder)
    if over:
        raise SystemExit("bench: over the bound: " + ", ".join(over))
