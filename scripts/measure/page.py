"""The server's part of `make bench`: ours and its peers in turns, medians and quartiles, as text and as plots in build/bench.

The load checks every answer and every verdict, and a flipped bit and a replay must be refused: a run in which one is accepted has
no
figures, and a peer that accepts one is left out. CPU is the server process's own clock.
"""

import os
import shutil
import statistics
import tempfile
from pathlib import Path

from measure import cluster, conformance, peer, plots, privacyidea, server

ROUNDS = int(os.environ.get("SERVER_ROUNDS", "5"))
SECONDS = float(os.environ.get("SERVER_SECONDS", "3"))
ACCOUNTS = [int(word) for word in os.environ.get("SERVER_ACCOUNTS", "10 10000 1000000").split()]
CONNECTIONS = (1, 16, 256)
# Keys of an account, and accounts of these stores.
KEYS, KEYED_ACCOUNTS = (1, 4, 16, 64), 1000
# Rows that are put into the audit before the first login. Filling in ten million takes minutes, so that is done only on request.
AUDIT_ROWS = [int(word) for word in os.environ.get("SERVER_AUDIT_ROWS", "0 100000 1000000").split()]
AUDITED_ACCOUNTS, AUDITED_CONNECTIONS = 10_000, (1, 16)
# The number of used challenges before the first login. In PostgreSQL each stays for 17 minutes: a million are 980 a second.
USED, USED_ACCOUNTS = (1_000, 100_000, 1_000_000), 10_000
PEER_ACCOUNTS, PEER_CONNECTIONS = 10_000, (1, 16)
# The delay of each flush, one millisecond, and the numbers of connections at which it is measured.
FLUSH_US, FLUSH_CONNECTIONS = 1000, 64
FLUSHED = f"+1 ms a flush, {FLUSH_CONNECTIONS} conn."
# Logins per second of the server's CPU that must be possible, by the store's engine.
BARS = {"sqlite": 4500, "postgresql": 3500}


def quartiles(values):
    """Lower quartile, median, upper quartile."""
    if len(values) < 2:
        return values * 3
    return statistics.quantiles(values, n=4, method="inclusive")


class Samples:
    """The figures of all rounds, by the measured quantity."""

    def __init__(self):
        self.rows = {}

    def add(self, name, figures):
        self.rows.setdefault(name, []).append(figures)

    def drop(self, prefix):
        """Forgets all figures whose names begin like this."""
        self.rows = {name: figures for name, figures in self.rows.items() if not name.startswith(prefix)}

    def column(self, name, key):
        return [figures[key] for figures in self.rows[name]]

    def median(self, name, key):
        return statistics.median(self.column(name, key))

    def microseconds(self, name):
        """Quartiles of the server's CPU time of a login."""
        return quartiles([1e6 / value for value in self.column(name, "per_core_second")])

    def line(self, name):
        low, _, high = quartiles(self.column(name, "per_core_second"))
        keys = ("per_core_second", "per_second", "get_p50_ms", "respond_p50_ms", "respond_p99_ms")
        cells = [self.median(name, key) for key in keys]
        return (
            f"{name:<34}{cells[0]:>8.0f} {f'{low:.0f}-{high:.0f}':>12}{cells[1]:>9.0f}"
            f"{cells[2]:>9.2f}{cells[3]:>9.2f}{cells[4]:>9.2f}{max(self.column(name, 'mib')):>7.0f}"
        )


HEAD = f"{'':<34}{'/core-s':>8} {'quartiles':>12}{'/s':>9}{'get p50':>9}{'resp p50':>9}{'p99 ms':>9}{'MiB':>7}"


def measured(kind, flush_us=0, **load):
    """One run of a server that is started for it."""
    try:
        return kind.start(flush_us).load(**load)
    finally:
        kind.stop()


def compared(other, samples):
    """One round of a peer: as fast as it can, and at half of that."""
    for connections in PEER_CONNECTIONS:
        samples.add(f"{other.name}, {connections} conn.", measured(other, connections=connections, during=SECONDS))
    rate = samples.median(f"{other.name}, {PEER_CONNECTIONS[-1]} conn.", "per_second") / 2
    samples.add(halved(other.name), measured(other, connections=PEER_CONNECTIONS[-1], during=SECONDS, rate=rate))


def halved(name):
    return f"{name}, half load, 16 conn."


def keyed(keys):
    return f"{keys} keys an account, 16 conn."


def audited(rows, connections):
    return f"{rows:,} audit rows, {connections} conn."


def used(challenges):
    return f"{challenges:,} used challenges, 16 conn."


def rounds(servers, flushed, growing, others, engine):
    """Runs everything in turns, so that disturbances of the machine affect all in the same way. `flushed` has slow flushes."""
    samples = Samples()
    for _ in range(ROUNDS):
        for accounts, ours in servers.items():
            for connections in CONNECTIONS:
                figures = measured(ours, connections=connections, during=SECONDS)
                samples.add(f"{accounts:,} accounts, {connections} conn.", figures)
        rate = half(samples, engine)
        samples.add("half load, 16 conn.", measured(middle(servers), connections=16, during=SECONDS, rate=rate))
        samples.add(FLUSHED, measured(*flushed, connections=FLUSH_CONNECTIONS, during=SECONDS))
        for name, ours, connections in growing:
            samples.add(name, measured(ours, connections=connections, during=SECONDS))
        others.each(lambda other: compared(other, samples))
    for name in others.absent:
        samples.drop(f"{name}, ")
    return samples


def among_peers(ours, others):
    """Only ours and the peers, in turns."""
    samples = Samples()
    for _ in range(ROUNDS):
        compared(ours, samples)
        others.each(lambda other: compared(other, samples))
    for name in others.absent:
        samples.drop(f"{name}, ")
    return samples


def middle(servers):
    """The server with neither the fewest accounts nor the most."""
    return servers[sorted(servers)[len(servers) // 2]]


def half(samples, engine):
    """Half of the required load, or half of what this machine reaches if that is less."""
    reached = max(samples.median(name, "per_second") for name in samples.rows if "conn." in name)
    return min(BARS[engine], reached) / 2


def bars(samples, servers, engine):
    """The requirements: the name, the value, the bar, and whether it is reached."""
    few, many = min(servers), max(servers)
    names = {accounts: f"{accounts:,} accounts, 16 conn." for accounts in servers}
    # With 10 accounts, at most 8 connections are busy at the same time, so the comparison uses one connection.
    ratio = samples.microseconds(f"{many:,} accounts, 1 conn.")[1] / samples.microseconds(f"{few:,} accounts, 1 conn.")[1]
    best = max(samples.median(name, "per_core_second") for name in names.values())
    memory = max(max(samples.column(name, "mib")) for name in names.values())
    p99 = samples.median("half load, 16 conn.", "respond_p99_ms")
    yield "logins per core-second", best, f">= {BARS[engine]}", best >= BARS[engine]
    yield "p99 of respond at half load, ms", p99, "<= 5", p99 <= 5
    yield "memory, MiB", memory, "<= 60", memory <= 60
    yield f"CPU of a login, {many:,} accounts to {few:,}", ratio, "<= 1.2", ratio <= 1.2
    flushed = samples.median(FLUSHED, "per_second")
    yield "logins a second with +1 ms a flush", flushed, ">= 3000", flushed >= 3000


def added(samples, rows):
    """How many rows an audit gained during the measurement: one for each login."""
    return sum(sum(samples.column(audited(rows, connections), "checked")) for connections in AUDITED_CONNECTIONS)


def middle_rows(samples, rows):
    """How many rows an audit had in the middle of the measurement, in two digits."""
    return int(float(f"{rows + added(samples, rows) / 2:.2g}"))


def draw(samples, servers, folder, engine):
    """Draws the plots that show growth."""
    cost = "CPU of the server for a login, µs"

    def points(names):
        return [(value, *samples.microseconds(name)) for value, name in names]

    by_accounts = {f"{c} conn.": points([(a, f"{a:,} accounts, {c} conn.") for a in servers]) for c in CONNECTIONS}
    by_connections = {f"{a:,} accounts": points([(c, f"{a:,} accounts, {c} conn.") for c in CONNECTIONS]) for a in servers}
    by_keys = {"16 conn.": points([(k, keyed(k)) for k in KEYS])}
    by_used = {"16 conn.": points([(n, used(n)) for n in USED])}
    audits = sorted((middle_rows(samples, rows), rows) for rows in AUDIT_ROWS)
    by_rows = {f"{c} conn.": points([(at, audited(rows, c)) for at, rows in audits]) for c in AUDITED_CONNECTIONS}
    drawn = {
        "accounts": plots.plot("Cost against accounts", "accounts in the store", cost, by_accounts),
        "connections": plots.plot("Cost against connections", "connections", cost, by_connections),
        "keys": plots.plot("Cost against keys", "keys of an account", cost, by_keys),
        "used": plots.plot("Cost against used challenges", "used challenges at first", cost, by_used),
        "audit": plots.plot("Cost against the audit", "rows of the audit when half of the logins are done", cost, by_rows),
    }
    for name, svg in drawn.items():
        (folder / f"server-{engine}-{name}.svg").write_text(svg)


def beside(samples, servers, others):
    """A line for each peer: the ratio of ours to it, or why it is not measured."""
    for other in others.running:
        if PEER_ACCOUNTS in servers:
            names = (f"{PEER_ACCOUNTS:,} accounts, 16 conn.", f"{other.name}, 16 conn.")
            ours, theirs = (samples.median(name, "per_core_second") for name in names)
            yield f"ours to {other.name}, {PEER_ACCOUNTS:,} accounts, per core-second, 16 connections: {ours / theirs:.2f}"
    passkeys = f"{conformance.OwnPasskeys.name}, 16 conn."
    for other in others.running if passkeys in samples.rows else ():
        if not isinstance(other, conformance.OwnPasskeys):
            ours, theirs = (samples.median(name, "per_core_second") for name in (passkeys, f"{other.name}, 16 conn."))
            yield f"{conformance.OwnPasskeys.name} to {other.name}, per core-second, 16 connections: {ours / theirs:.2f}"
    for name, why in others.absent.items():
        yield f"{name} is not measured: {why}"


def text(samples, servers, others, engine):
    """The page."""
    lines = [
        f"{engine}; completed, durable authentications over TLS; {ROUNDS} rounds of {SECONDS:g} s in turns, medians",
        f"accounts, where a row does not name them: keys {KEYED_ACCOUNTS:,}, used challenges {USED_ACCOUNTS:,}, "
        f"audit {AUDITED_ACCOUNTS:,}, peers {PEER_ACCOUNTS:,}",
        HEAD,
    ]
    lines += [samples.line(name) for name in samples.rows]
    lines += beside(samples, servers, others)
    lines += [f"{n:>9,} audit rows at first, and {added(samples, n):,} more by the logins" for n in AUDIT_ROWS]
    if engine == "sqlite":
        sizes = {accounts: ours.disk() for accounts, ours in servers.items()}
        lines += [
            f"{n:>9,} accounts: {size:.1f} MiB on disk, {size * 2**20 / n:.0f} bytes an account" for n, size in sizes.items()
        ]
    for name, value, bar, is_reached in bars(samples, servers, engine):
        lines.append(f"{'reached' if is_reached else 'MISSED':<8} {name}: {value:.2f} ({bar})")
    return "\n".join(lines) + "\n"


def peers_of(program, folder, certificates, engine):
    """What ours is compared with. Our passkeys are measured like a peer: what they are compared with has passkeys, too."""
    kinds = (peer.Passkeys, privacyidea.PrivacyIDEA, conformance.GoPasskeys)
    own = [conformance.OwnPasskeys(program, folder / "passkeys", PEER_ACCOUNTS)] if engine == "sqlite" else []
    others = peer.Peers(own + [kind(folder / kind.__name__, certificates, PEER_ACCOUNTS) for kind in kinds])
    # A short run of each, to see that it installs, starts and answers.
    others.each(lambda other: measured(other.prepare(), connections=1, during=1))
    return others


def run_peers(program, engine="sqlite"):
    """Measures only our server with 10,000 accounts, and its peers."""
    server.build()
    server.BUILT.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="peers.", dir=server.BUILT))
    database = cluster.Cluster(0) if engine == "postgresql" else None
    try:
        url = database.new_database() if database else None
        ours = server.Server(program, work / "ours", PEER_ACCOUNTS, url=url).prepare()
        others = peers_of(program, work, ours.folder / "state", engine)
        samples = among_peers(ours, others)
        lines = [
            f"{engine}; ours and its peers, {PEER_ACCOUNTS:,} accounts; {ROUNDS} rounds of {SECONDS:g} s in turns, medians",
            HEAD,
        ]
        lines += [samples.line(name) for name in samples.rows]
        lines += [f"{name} is not measured: {why}" for name, why in others.absent.items()]
        page = "\n".join(lines) + "\n"
        (server.BUILT / f"peers-{engine}.txt").write_text(page)
        print(page)
    finally:
        if database:
            database.stop()


def run(program, engine="sqlite"):
    """Measures everything, on SQLite, or on a PostgreSQL that is started for it."""
    if engine not in BARS:
        raise SystemExit(f"bench: STORE is {' or '.join(BARS)}, not {engine}")
    server.build()
    server.BUILT.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="server.", dir=server.BUILT))
    clusters = []
    try:
        # PostgreSQL flushes in processes of its own, so each speed needs a cluster.
        for flush_us in (0, FLUSH_US) if engine == "postgresql" else ():
            clusters.append(cluster.Cluster(flush_us))

        def made(name, accounts, is_slow=False, **more):
            url = clusters[is_slow].new_database() if clusters else None
            return server.Server(program, work / name, accounts, url=url, **more).prepare()

        servers = {count: made(f"{count}", count) for count in ACCOUNTS}
        flushed = (made("slow", middle(servers).accounts, is_slow=True),) if clusters else (middle(servers), FLUSH_US)
        growing = [(keyed(keys), made(f"keys-{keys}", KEYED_ACCOUNTS, keys_each=keys), 16) for keys in KEYS]
        growing += [(used(n), made(f"used-{n}", USED_ACCOUNTS, used=n), 16) for n in USED]
        for rows in AUDIT_ROWS:
            ours = made(f"audit-{rows}", AUDITED_ACCOUNTS, audit_rows=rows)
            growing += [(audited(rows, connections), ours, connections) for connections in AUDITED_CONNECTIONS]
        certificates = servers[ACCOUNTS[0]].folder / "state"
        others = peers_of(program, work, certificates, engine)
        samples = rounds(servers, flushed, growing, others, engine)
        page = text(samples, servers, others, engine)
        (server.BUILT / f"server-{engine}.txt").write_text(page)
        draw(samples, servers, server.BUILT, engine)
        print(page)
    finally:
        for one in clusters:
            one.stop()
        shutil.rmtree(work)
