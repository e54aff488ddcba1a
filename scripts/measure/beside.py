"""The servers of two builds in turns, on both stores: `make bench BESIDE=CHECKOUT`.

Each has a store of its own with the same accounts. This build runs twice, as a negative control: the difference between its two
ratios is noise.
"""

import random
import shutil
import statistics
import tempfile
from pathlib import Path

from measure import cluster, page, server

ACCOUNTS, CONNECTIONS = 10_000, 16
OWN, CONTROL, OTHER = "this", "this again", "the other"
ENGINES = ("sqlite", "postgresql")


def costs(servers):
    """The figures of all rounds, by build. Each round runs all of them, in a random order."""
    figures = {name: [] for name in servers}
    for _ in range(page.ROUNDS):
        for name in random.sample(list(servers), len(servers)):
            figures[name].append(page.measured(servers[name], connections=CONNECTIONS, during=page.SECONDS))
    return figures


def table(engine, figures):
    """One line for each build: the server's CPU time for a login in microseconds, the time of an answer, and the ratios to the
    other build."""
    lines = [f"{engine}: {ACCOUNTS:,} accounts, {CONNECTIONS} connections; medians of {page.ROUNDS} rounds in turn"]
    lines.append(f"{'':<12}{'CPU of a login, µs':>24}{'respond p50, ms':>24}{'respond p99, ms':>24}{'MiB':>7}")

    def medians(name):
        rows = figures[name]
        yield statistics.median(1e6 / row["per_core_second"] for row in rows)
        yield from (statistics.median(row[key] for row in rows) for key in ("respond_p50_ms", "respond_p99_ms"))

    others = list(medians(OTHER))
    for name, rows in figures.items():
        cells = (f"{own:.2f} ({own / other:.3f})" for own, other in zip(medians(name), others))
        memory = max(row["mib"] for row in rows)
        lines.append(f"{name:<12}" + "".join(f"{cell:>24}" for cell in cells) + f"{memory:>7.0f}")
    return "\n".join(lines)


def run(program, other):
    """Measures `program` beside the server of the other checkout's stage."""
    server.build()
    work = Path(tempfile.mkdtemp(prefix="beside.", dir=server.BUILT))
    programs = {OWN: program, CONTROL: program, OTHER: other}
    try:
        for engine in ENGINES:
            postgresql = cluster.Cluster(0) if engine == "postgresql" else None
            try:
                servers = {
                    name: server.Server(
                        build, work / f"{engine} {name}", ACCOUNTS, url=postgresql.new_database() if postgresql else None
                    ).prepare()
                    for name, build in programs.items()
                }
                print(table(engine, costs(servers)), end="\n\n", flush=True)
            finally:
                if postgresql:
                    postgresql.stop()
    finally:
        shutil.rmtree(work)
