"""A morning at a large server: thousands of people log in within minutes, and an administrator reads the console meanwhile.

The store is filled with people, their keys and an audit of a month; the machines join by themselves. Everything that a client
needs is made before the morning begins: keys, the proofs of the check-ins, and the administrator's session. Each login has its
own connection, as each login of a machine is a process of its own, and the machine then checks in. In the middle the certificate
is renewed. Every answer must be right, and every verdict is checked, or there are no figures. At the end the server is stopped
for half a second again and again, which must show in the slowest answers: otherwise the measurement would not see a server that
hangs.
"""

import argparse
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import shutil
import signal
import socket
import ssl
import statistics
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

from measure import cluster, directory, people, server, store

# The bars, in milliseconds: 99 of 100 logins, from the moment at which the login is due to the verdict, and 99 of 100 pages. A
# login has its connection in it: a server that hangs is met by a handshake far more often than by a request.
ANSWER_MS, PAGE_MS = 50, 300
# Logins of a person in the month that the audit has.
MONTH = 20
# Processes that log in, each one login at a time.
WORKERS = 8
# Seconds between two pages of the administrator.
PACE = 0.5
# The most machines that one code lets in.
MOST_OF_CODE = 10_000
# The control: seconds that it takes, and how the server is stopped in it.
CONTROL, STOPPED, EVERY = 20.0, 0.5, 4.0
ADMINISTRATOR = "person0000000"


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def described(number):
    """What a machine says about itself."""
    return dict(zip(("deviceName", "deviceModel", "deviceOS"), store.described_device(number), strict=True))


class Authority:
    """An authority, and a certificate of it for localhost, which can be renewed."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True)
        self._make("/CN=Authority of the bench", "-x509", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
        self.renew()

    def renew(self):
        """Replaces certificate and key by others; the certificate, in DER."""
        made = self.folder / "made.pem", self.folder / "made.key"
        named = ("-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE")
        issued = ("-CA", self.folder / "ca.pem", "-CAkey", self.folder / "ca.key")
        self._make("/CN=localhost", "-x509", *named, *issued, "-keyout", made[1], "-out", made[0])
        for path, name in zip(made, ("certificate.pem", "key.pem"), strict=True):
            path.chmod(0o600)
            path.rename(self.folder / name)
        return ssl.PEM_cert_to_DER_cert((self.folder / "certificate.pem").read_text())

    @staticmethod
    def _make(subject, *options):
        new = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30".split()
        subprocess.run([*new, "-subj", subject, *options], check=True, stderr=subprocess.DEVNULL)


class Server(server.Server):
    """A server with a console and a certificate that can be renewed."""

    def __init__(self, program, folder: Path, accounts, **more):
        super().__init__(program, folder, accounts, **more)
        self.certified = Authority(folder / "certificates")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.console = free.getsockname()[1]

    def command(self):
        own = ["--certificate", self.certified.folder / "certificate.pem", "--key", self.certified.folder / "key.pem"]
        kept = [word for word in super().command() if word != "--development"]
        return [*kept, *own, "--admin-listen", f"127.0.0.1:{self.console}"]

    def authority(self):
        return str(self.certified.folder / "ca.pem")

    def trusted(self):
        return ssl.create_default_context(cafile=self.authority())

    def used_seconds(self):
        """Seconds of the processors that the server has used."""
        words = Path(f"/proc/{self.worker()}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def stored(self):
        """MiB of the store on the disk."""
        if not self.url:
            return self.disk()
        with cluster.Connection(self.url) as connection:
            return int(connection.value("SELECT pg_database_size(current_database())")) / 2**20


class Machine:
    """A machine that joined, which shares no code with the server: made from docs/protocol.md."""

    def __init__(self, number, secret):
        self.number = number
        self.id, self.secret = decoded(secret["id"]), decoded(secret["secret"])

    def check_in(self, now):
        """A line of the file for the load: the proof of a report, and the report."""
        report = {"module": "0.2.0", **described(self.number), "policy": 0, "nextMark": base64url(os.urandom(16))}
        body = json.dumps({"v": 1, "report": report}, separators=(",", ":"))
        name = b"check-in " + base64url(hashlib.sha256(body.encode()).digest()).encode()
        head = bytes([1, 0]) + self.id + struct.pack(">q", now) + os.urandom(16) + bytes([len(name)]) + name
        return f"{base64url(head + hmac.digest(self.secret, head, 'sha256'))} {body}\n"


def join(ours, count):
    """Has the machines join with codes; returns them."""
    machines = []
    for first in range(0, count, MOST_OF_CODE):
        places = min(MOST_OF_CODE, count - first)
        command = [ours.program, "join-code", "create", "--json", "--machines", str(places)]
        command += ["--authority", ours.authority(), "--api", f"unix:{ours.folder}/state/admin.sock"]
        payload = json.loads(subprocess.check_output(command, stderr=subprocess.DEVNULL))["payload"]
        code = json.loads(decoded(payload))["code"]
        connection = http.client.HTTPSConnection("localhost", int(ours.port), context=ours.trusted())
        for number in range(first, first + places):
            body = {"v": 1, "code": code, "nonce": base64url(os.urandom(16)), "deviceID": store.device(number)}
            body |= described(number)
            connection.request("POST", "/uaf/join", json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = json.loads(answer.read() or b"{}")
            if answer.status != 200 or "machineSecret" not in said:
                raise SystemExit(f"bench: machine {number} has not joined: {answer.status} {said}")
            machines.append(Machine(number, said["machineSecret"]))
        connection.close()
    return machines


class Desk:
    """An administrator who reads the console, one page after the other."""

    def __init__(self, ours, plan, token=""):
        self._ours, self._plan = ours, plan
        # A session ends when nobody uses it for a quarter of an hour, so the control goes on with that of the morning.
        self.token = token or base64url(os.urandom(32))
        self.took = {}

    def rows(self):
        """What the store needs: a person who administers, and a session that began now."""
        now = int(time.time())
        yield "administrator", ("name", "role", "addedBy", "addedAt"), [(ADMINISTRATOR, "administrator", "root", now)]
        session = (hashlib.sha256(self.token.encode()).digest(), ADMINISTRATOR, "administrator", now, now)
        yield "consoleSession", ("tokenHash", "username", "role", "startedAt", "lastUsedAt"), [session]

    def _pages(self):
        """The kinds of pages: a path, its query, and a text that only the right page has."""
        chance = random.Random(7)

        def name():
            return f"person{chance.randrange(self._plan.people):07d}"

        def someone():
            number = chance.randrange(self._plan.people)
            return number, people.person(number)[1]

        while True:
            number, mail = someone()
            yield "overview", "/console", {}, "</html>"
            yield "people", "/console/people", {"after": name()}, "person0"
            yield "a search", "/console/people", {"search": mail}, f"person{number:07d}"
            yield "a person", "/console/person", {"name": (one := name())}, one
            yield "machines", "/console/machines", {"after": store.device(chance.randrange(self._plan.machines) // 2)}, "desk-"
            yield "a machine", "/console/machine", {"id": (one := store.device(chance.randrange(self._plan.machines)))}, one
            yield "audit", "/console/audit", {}, "</html>"
            yield "audit of a person", "/console/audit", {"account": (one := name())}, one

    def work(self, stopping, pace):
        """Reads pages until `stopping`, and notes how many milliseconds each took; a page that is not right ends the bench."""
        connection = http.client.HTTPSConnection("localhost", self._ours.console, context=self._ours.trusted())
        for kind, path, query, expected in self._pages():
            if stopping.wait(pace):
                break
            target = path + ("?" + urlencode(query) if query else "")
            began = time.perf_counter()
            connection.request("GET", target, headers={"Cookie": f"__Host-uaf-session={self.token}"})
            answer = connection.getresponse()
            text = answer.read().decode()
            self.took.setdefault(kind, []).append((time.perf_counter() - began) * 1000)
            if answer.status != 200 or expected not in text:
                raise SystemExit(f"bench: {target}: {answer.status} without {expected!r}: {text[:300]}")
        connection.close()


class Ended(threading.Thread):
    """A thread that ends with `stop`, which repeats its failure."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self._work, self._failure, self.stopping = work, None, threading.Event()
        self.start()

    def run(self):
        try:
            self._work(self.stopping)
        except BaseException as failure:
            self._failure = failure

    def stop(self):
        self.stopping.set()
        self.join()
        if self._failure:
            raise self._failure


class Renewal:
    """Renews the certificate after a while, and notes after how many milliseconds a new connection is shown it."""

    def __init__(self, ours, after):
        self._ours, self._after, self.took = ours, after, None

    def work(self, stopping):
        if stopping.wait(self._after):
            return
        renewed = self._ours.certified.renew()
        began = time.perf_counter()
        os.kill(self._ours.worker(), signal.SIGHUP)
        while self._shown() != renewed:
            if time.perf_counter() - began > 10:
                raise SystemExit("bench: 10 s after SIGHUP, connections are shown the old certificate")
        self.took = (time.perf_counter() - began) * 1000

    def _shown(self):
        plain = socket.create_connection(("127.0.0.1", int(self._ours.port)))
        with self._ours.trusted().wrap_socket(plain, server_hostname="localhost") as secured:
            return secured.getpeercert(binary_form=True)


def stop_and_go(ours, stopping):
    """Stops the server for half a second, again and again."""
    while not stopping.wait(EVERY - STOPPED):
        os.kill(ours.worker(), signal.SIGSTOP)
        stopping.wait(STOPPED)
        os.kill(ours.worker(), signal.SIGCONT)


def logins(ours, plan, machines, count, seconds):
    """Has people log in, and returns the load's figures."""
    file = ours.folder / "check-ins"
    now = int(time.time())
    file.write_text("".join(machines[number % len(machines)].check_in(now) for number in range(count)))
    options = {
        "port": ours.port, "ca": ours.authority(), "seed": server.SEED, "accounts": count, "stride": store.stride(plan.people),
        "counter": ours.counter, "during": seconds, "workers": WORKERS, "check_ins": file, **ours.options(),
    }  # fmt: skip
    command = [str(server.BUILT / "load"), "morning", *(f"{name}={value}" for name, value in options.items())]
    figures = json.loads(subprocess.check_output(command, timeout=seconds + 600))
    ours.counter += 1
    return figures


def quantile(values, part):
    return sorted(values)[int((len(values) - 1) * part)]


def pages(desk):
    return [took for all_of_kind in desk.took.values() for took in all_of_kind]


def control(ours, plan, machines, desk):
    """99 of 100 logins and pages of a server that hangs for half a second every four, in milliseconds."""
    seconds = min(CONTROL, plan.minutes * 60)
    count = max(1, min(plan.logins, int(plan.logins / (plan.minutes * 60) * seconds)))
    hanging = Ended(lambda stopping: stop_and_go(ours, stopping))
    reading = Ended(lambda stopping: desk.work(stopping, PACE / 2))
    try:
        figures = logins(ours, plan, machines, count, seconds)
    finally:
        hanging.stop()
        reading.stop()
    slowest = figures["login_p99_ms"], quantile(pages(desk), 0.99)
    if slowest[0] <= ANSWER_MS or slowest[1] <= PAGE_MS:
        within = f"logins within {slowest[0]:.0f} ms, and pages within {slowest[1]:.0f}"
        raise SystemExit(f"bench: control: a server that hangs answers {within}")
    return slowest


def passed(ours, plan, machines, desk):
    """The morning itself: the load's figures, with the server's own."""
    seconds = plan.minutes * 60
    renewal = Renewal(ours, seconds / 2)
    stored, used = ours.stored(), ours.used_seconds()
    reading = Ended(lambda stopping: desk.work(stopping, PACE))
    renewing = Ended(renewal.work)
    try:
        figures = logins(ours, plan, machines, plan.logins, seconds)
    finally:
        renewing.stop()
        reading.stop()
    if renewal.took is None:
        raise SystemExit("bench: the logins ended before the certificate was renewed")
    return figures | {
        "before_mib": stored, "after_mib": ours.stored(), "mib": ours.memory(), "cpu": ours.used_seconds() - used,
        "renewed_ms": renewal.took,
    }  # fmt: skip


def lines(plan, engine, figures, desk, slowest):
    """The page of results, line by line."""
    yield (
        f"{engine}; {plan.people:,} people, {plan.machines:,} machines, {plan.people * MONTH:,} rows of the audit; "
        f"{plan.logins:,} logins with check-ins within {plan.minutes:g} minutes, a page of the console every {PACE:g} s"
    )
    yield f"{'':<24}{'p50 ms':>9}{'p99 ms':>9}"
    for name, key in (
        ("connection, handshake", "hello"), ("answer: a request", "get"), ("answer: a verdict", "respond"),
        ("a whole login", "login"), ("a check-in", "check_in"),
    ):  # fmt: skip
        yield f"{name:<24}{figures[f'{key}_p50_ms']:>9.2f}{figures[f'{key}_p99_ms']:>9.2f}"
    for kind, took in desk.took.items():
        yield f"{'page: ' + kind:<24}{statistics.median(took):>9.2f}{quantile(took, 0.99):>9.2f}"
    yield f"{'all pages':<24}{statistics.median(pages(desk)):>9.2f}{quantile(pages(desk), 0.99):>9.2f}"
    yield (
        f"server: {figures['cpu']:.1f} s of CPU, {1e6 * figures['cpu'] / plan.logins:.0f} us for a login with everything else; "
        f"at most {figures['mib']:.0f} MiB; the load: {figures['own_us']:.0f} us for a login"
    )
    grown = (figures["after_mib"] - figures["before_mib"]) * 2**20 / plan.logins
    yield f"store: {figures['before_mib']:.1f} MiB before, {figures['after_mib']:.1f} after: {grown:.0f} bytes for a login"
    yield f"renewed certificate: shown {figures['renewed_ms']:.0f} ms after SIGHUP, and no login was refused"
    yield f"control: with a server that hangs for {STOPPED:g} s, {slowest[0]:.0f} ms for a login and {slowest[1]:.0f} for a page"
    for name, value, bar in (
        ("p99 of the answer to a login, from its connection to the verdict, ms", figures["login_p99_ms"], ANSWER_MS),
        ("p99 of a page, ms", quantile(pages(desk), 0.99), PAGE_MS),
    ):
        yield f"{'reached' if value <= bar else 'MISSED':<8} {name}: {value:.1f} (<= {bar})"


def measured(program, plan, engine, folder, url):
    """The page of results for one engine."""
    ours = Server(
        program, folder, plan.people, url=url, described=True, audit_rows=plan.people * MONTH, machines=plan.machines
    ).prepare()
    desk = Desk(ours, plan)
    with contextlib.closing(Running(ours)):
        directory.signed(ours, plan.people * MONTH + 1)
        machines = join(ours, plan.machines)
    add = store.add_postgresql if url else store.add_sqlite
    add(url or folder / "state/server.db", desk.rows())
    # Started anew, so that the most memory is that of the morning.
    with contextlib.closing(Running(ours)):
        figures = passed(ours, plan, machines, desk)
        slowest = control(ours, plan, machines, Desk(ours, plan, desk.token))
    return "\n".join(lines(plan, engine, figures, desk, slowest)) + "\n"


class Running:
    """A server from here to `close`."""

    def __init__(self, ours):
        self._ours = ours.start()

    def close(self):
        self._ours.stop()


def planned(words):
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="bench.py morning", description="A morning at a large server.")
    parser.add_argument("store", nargs="?", choices=("sqlite", "postgresql"), help="only this engine (default: both)")
    for name, otherwise in (("people", 50_000), ("machines", 20_000), ("logins", 10_000)):
        parser.add_argument(f"--{name}", type=int, default=otherwise, help=f"default: {otherwise:,}")
    parser.add_argument("--minutes", type=float, default=10, help="default: 10")
    parser.add_argument("--program", type=Path, help="another uaf-server than that of build/stage")
    plan = parser.parse_args(words)
    if not 0 < plan.logins <= min(plan.people, store.MOST):
        parser.error(f"--logins is 1 to the number of people, and at most {store.MOST:,}")
    if plan.machines < 1 or plan.minutes <= 0:
        parser.error("--machines and --minutes are more than 0")
    return plan


def run(program, words):
    """Measures a morning with each engine."""
    plan = planned(words)
    server.build()
    for engine in (plan.store,) if plan.store else ("sqlite", "postgresql"):
        work = Path(tempfile.mkdtemp(prefix="morning.", dir=server.BUILT))
        postgresql = cluster.Cluster() if engine == "postgresql" else None
        try:
            url = postgresql.new_database() if postgresql else None
            page = measured(plan.program or program, plan, engine, work / "ours", url)
            (server.BUILT / f"morning-{engine}.txt").write_text(page)
            print(page)
        finally:
            if postgresql:
                postgresql.stop()
            shutil.rmtree(work)
