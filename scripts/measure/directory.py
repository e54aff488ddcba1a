"""What an administrator waits for on a large server: pages of accounts, machines and the audit, through the API.

One server has a million accounts and ten million rows of the audit, another has a million accounts and no rows. Logins at both
alternate, which shows whether the audit's length makes a login slower. The pages are asked for one by one over the server's
socket, each time at a different place in the list.
"""

import http.client
import json
import os
import random
import shutil
import socket
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import quote, urlencode

from measure import cluster, people, server, store

ACCOUNTS = int(os.environ.get("DIRECTORY_ACCOUNTS", "1000000"))
ROWS = int(os.environ.get("DIRECTORY_ROWS", "10000000"))
ASKED = int(os.environ.get("DIRECTORY_ASKED", "200"))
ROUNDS = int(os.environ.get("DIRECTORY_ROUNDS", "5"))
BAR_MS = 50
CONNECTIONS = 16


class Socket(http.client.HTTPConnection):
    """HTTP over the server's own socket, as root."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def name():
    return f"person{random.randrange(ACCOUNTS):07d}"


def pages():
    """The requests by their names in the page of results: a function that returns a path and its query."""
    now = int(time.time())

    def audit(**query):
        return "/api/v1/audit", {"limit": 100} | query

    def search(find):
        """A search for a text that is made from the display name and the mail address of somebody."""
        shown, mail, _ = people.person(random.randrange(ACCOUNTS // 5) * 5 + 1)
        return "/api/v1/accounts", {"search": find(shown, mail), "limit": 50}

    return {
        "search, a whole name (3 syllables)": lambda: search(lambda shown, mail: shown),
        "search, 2 syllables of a name": lambda: search(lambda shown, mail: shown[1:]),
        "search, 1 syllable": lambda: search(lambda shown, mail: shown[2]),
        "search, the middle of an address": lambda: search(lambda shown, mail: mail[3:-6]),
        "search, an account's number": lambda: search(lambda shown, mail: name()[4:]),
        "search, a department": lambda: search(lambda shown, mail: random.choice(["연구소", "LABORATORY", "영업", "fin"])),
        "search, 1 letter": lambda: search(lambda shown, mail: random.choice("aeg@7")),
        "search, finds nobody": lambda: search(lambda shown, mail: "zzq" + shown[:2]),
        "search, wrong suggestions alone": lambda: search(lambda shown, mail: "orgexample"),
        "accounts, anywhere": lambda: ("/api/v1/accounts", {"after": name(), "limit": 100}),
        "accounts, by the first six letters": lambda: ("/api/v1/accounts", {"prefix": name()[:11], "limit": 100}),
        "accounts, disabled": lambda: ("/api/v1/accounts", {"state": "disabled", "limit": 100}),
        "accounts, not used for a month": lambda: (
            "/api/v1/accounts",
            {"idleSince": now - 30 * 86_400, "after": name(), "limit": 100},
        ),
        "accounts, never used": lambda: ("/api/v1/accounts", {"idleSince": 1, "after": name(), "limit": 100}),
        "one account": lambda: (f"/api/v1/accounts/{name()}", {}),
        "machines, anywhere": lambda: ("/api/v1/machines", {"limit": 100, "after": f"{name()}-0"}),
        "audit, the newest": audit,
        "audit, anywhere": lambda: audit(after=random.randrange(1, ROWS)),
        "audit of an account": lambda: audit(account=name()),
        "audit, a rare kind": lambda: audit(kind="policy"),
        "audit, refusals": lambda: audit(outcome="wrongSignature"),
        "audit of a machine": lambda: audit(machine=f"{name()}-0"),
        "audit, a minute of a month": lambda: audit(since=(at := now - random.randrange(store.AUDITED)), until=at + 60),
        "one machine": lambda: (f"/api/v1/machines/{name()}-0", {}),
        "audit, words": lambda: audit(words="sudo"),
        "audit, all but logins": lambda: audit(kind="login", **{"not": "kind"}),
        "audit, a kind that never was": lambda: audit(kind="nothing"),
    }


def asked(path, page):
    """Milliseconds until one page is answered; the status must be 200."""
    place, query = page()
    connection = Socket(path)
    target = quote(place) + ("?" + urlencode(query) if query else "")
    began = time.perf_counter()
    connection.request("GET", target)
    answer = connection.getresponse()
    body = answer.read()
    took = (time.perf_counter() - began) * 1000
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"bench: {target}: {answer.status}: {body.decode()[:200]}")
    return took, json.loads(body)


def check_search(path):
    """The index that was made here must be the server's: each address must find its account, and nobody else."""
    for number in random.sample(range(ACCOUNTS), 20):
        found = asked(path, lambda number=number: ("/api/v1/accounts", {"search": people.person(number)[1].upper()}))[1]
        if [account["name"] for account in found["accounts"]] != [f"person{number:07d}"]:
            raise SystemExit(f"bench: the search for the address of person{number:07d} finds {found}")


def lines(path):
    """A line for each page: median, 95th percentile, and whether the bar is reached."""
    for name_of, page in pages().items():
        took = sorted(asked(path, page)[0] for _ in range(ASKED))
        late = took[int(len(took) * 0.95)]
        reached = "reached" if late <= BAR_MS else "NOT REACHED"
        yield f"{name_of:<40}{statistics.median(took):>9.1f}{late:>9.1f}   {BAR_MS} ms: {reached}"


def signed(ours, rows):
    """Seconds until the server has signed the last of the inserted audit rows."""
    began, log = time.perf_counter(), ours.folder / "log"
    while f"number={rows}" not in log.read_text().replace(f"number={rows - 1}", ""):
        if time.perf_counter() - began > 1200:
            raise SystemExit("bench: the audit's end was not signed within 20 minutes")
        time.sleep(0.2)
    return time.perf_counter() - began


def logins(servers):
    """CPU of a login in microseconds at each server, alternately."""
    figures = {kind: [] for kind in servers}
    for _ in range(ROUNDS):
        for kind, one in servers.items():
            figures[kind].append(1e6 / one.load(CONNECTIONS, during=3)["per_core_second"])
    return {kind: statistics.median(values) for kind, values in figures.items()}


def text(servers, engine):
    """The page of results."""
    large = servers["with it"]
    took = signed(large, ROWS + 1)
    check_search(large.folder / "state/admin.sock")
    found = [f"{'':<40}{'median':>9}{'p95 ms':>9}", *lines(large.folder / "state/admin.sock")]
    costs = logins(servers)
    ratio = costs["with it"] / costs["without an audit"]
    return "\n".join([
        f"{ACCOUNTS:,} accounts, {ROWS:,} rows of the audit, {engine}; {ASKED} pages of each kind", "", *found, "",
        f"a login: {costs['with it']:.0f} us of CPU with the rows, {costs['without an audit']:.0f} without: {ratio:.2f}",
        f"the server has signed the end of the audit {took:.0f} s after it listened", "",
    ])  # fmt: skip


def run(program, engine="sqlite"):
    """Measures everything, on SQLite, or on a PostgreSQL that is started for it."""
    server.build()
    work = Path(tempfile.mkdtemp(prefix="directory.", dir=server.BUILT))
    postgresql = cluster.Cluster() if engine == "postgresql" else None
    servers = {}
    try:
        for kind, rows in (("without an audit", 0), ("with it", ROWS)):
            url = postgresql.new_database() if postgresql else None
            folder = work / kind.replace(" ", "-")
            servers[kind] = server.Server(program, folder, ACCOUNTS, url=url, audit_rows=rows, described=True).prepare()
        for one in servers.values():
            one.start()
        page = text(servers, engine)
        (server.BUILT / f"directory-{engine}.txt").write_text(page)
        print(page)
    finally:
        for one in servers.values():
            one.stop()
        if postgresql:
            postgresql.stop()
        shutil.rmtree(work)
