"""A server behind an address with limits, and strangers with the same address as its users' machine."""

import http.client
import json
import pathlib
import socket
import ssl
import threading
import time

from lab import forger, hosts, loopback
from lab.table import Broken, must, row
from lab.waiting import until

# An ordinary network address, in the row's own network.
ADDRESS, PORT, FOLDER = "192.0.2.10", 8458, "/srv/uaf-near"
CONNECTIONS, PLACES, LOGINS = 200, 128, 20
# The beginning of a TLS handshake that announces more data.
HALF_A_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


def near_server(lab, *options, address=ADDRESS):
    """A server with limits at its users' address; the configuration points to it. Returns its process."""
    if address == ADDRESS:
        loopback.add(ADDRESS)
        lab.after(loopback.remove)
    pathlib.Path(FOLDER).mkdir(mode=0o700, exist_ok=True)
    return serve_near(lab, *options, address=address)


def serve_near(lab, *options, address=ADDRESS):
    """Starts that server once its address exists; returns its process."""
    log = open(f"/tmp/server-{PORT}.log", "wb")
    server = lab.start(
        "uaf-server",
        "serve",
        "--state",
        FOLDER,
        "--listen",
        f"{address}:{PORT}",
        "--development",
        *options,
        stdout=log,
        stderr=log,
    )
    lab.after(lambda: lab.stop(server))
    until(lambda: b"\nlistening on" in b"\n" + pathlib.Path(log.name).read_bytes() or server.poll() is not None, "a server")
    must(server.poll() is None, f"the server has ended: {pathlib.Path(log.name).read_text()[-300:]}")
    forger.trust(lab, pathlib.Path(FOLDER, "ca.pem").read_bytes())
    point_near(lab, address)
    return server


def point_near(lab, address):
    # Only a server on this machine may have a lower cost.
    lab.configure(cost=14)
    url = f"https://{address}:{PORT}/uaf"
    forger.point(f"{url}/get", f"{url}/respond")


def register_near(lab, person):
    payload = lab.payload(person, FOLDER)
    values = f"{person.passcode}\n{person.passcode}\n"
    lab.run("uafctl", "register", person.name, "--payload", payload, answers=values)


class Crowd:
    """A stranger's idle connections: each is opened again as soon as the server has closed it."""

    def __init__(self, count=CONNECTIONS, address=ADDRESS):
        self.opened, self._ends, self._open = 0, False, {}
        self._count, self._address = count, address
        self._thread = threading.Thread(target=self._keep_up, daemon=True)

    def __enter__(self):
        self._keep_open()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends = True
        self._thread.join()
        for connection in filter(None, self._open.values()):
            connection.close()

    def _keep_up(self):
        while not self._ends:
            self._keep_open()
            time.sleep(0.1)

    def _keep_open(self):
        for number in range(self._count):
            if not self._ends and self._is_closed(self._open.get(number)):
                self._open[number] = self._make(number)

    def _make(self, number):
        """Opens a connection that, depending on `number`, sends nothing, stops in the middle of its handshake, or finishes it."""
        self.opened += 1
        try:
            made = socket.create_connection((self._address, PORT), 10)
            if number % 3 == 1:
                made.sendall(HALF_A_HELLO)
            elif number % 3 == 2:
                made = ssl._create_unverified_context().wrap_socket(made)
            made.setblocking(False)
            return made
        except OSError:
            return None

    @staticmethod
    def _is_closed(connection):
        if connection is None:
            return True
        try:
            return connection.recv(1) == b""
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True


@row(
    "A45",
    f"{CONNECTIONS} silent, half-open and idle connections to the server from the address of a person's machine",
    f"{LOGINS} of {LOGINS} logins succeed; the server is not reported as unreachable, and a revoked account gets in nowhere",
    causes=("a local user",),
)
def crowded_address(lab):
    near_server(lab, "--address-connections", str(PLACES))
    person, revoked = lab.person(registered=False), lab.person(registered=False)
    for somebody in (person, revoked):
        register_near(lab, somebody)
    # The shape `fallback`.
    lab.stack(
        "near",
        "auth [success=ok ignore=1 cred_unavail=1 authinfo_unavail=1 default=die] pam_uaf.so",
        "auth [success=1 default=die] pam_permit.so",
        "auth required pam_unix.so",
        "account required pam_permit.so",
    )
    both = f"{revoked.passcode}\n{revoked.password}"
    must(lab.login(revoked, both, "near").is_in, "not let in before anything was revoked")
    lab.run("uaf-server", "revoke", revoked.name, "--state", FOLDER)
    must(not lab.login(revoked, both, "near").is_in, "let in by fallback while nothing was wrong")
    with Crowd() as crowd:
        codes = [lab.login(person, person.passcode).code for _ in range(LOGINS)]
        away = [lab.login(revoked, both, "near") for _ in range(LOGINS // 4)]
    must(not any(login.is_in for login in away), f"revoked, and let in by its password: {[str(each) for each in away]}")
    must(hosts.AUTHINFO_UNAVAIL not in codes, f"the server was told as away: codes {codes}")
    must(codes == [hosts.SUCCESS] * LOGINS, f"{codes.count(hosts.SUCCESS)} of {LOGINS} were let in: codes {codes}")
    return (
        f"{LOGINS} of {LOGINS} in beside {crowd.opened} connections that were opened for nothing, {PLACES} places; a "
        f"revoked account refused {len(away)} times where a server that is away leaves it to the password"
    )


# Small, so that a row need not send thousands; a burst may be as large as two minutes' requests.
RATE = 30


def until_limited(path, body):
    """Repeats a request until the server refuses it; returns how many were accepted."""
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection(ADDRESS, PORT, timeout=30, context=context)
    for number in range(100 * RATE):
        if forger.ask(path, body, connection=connection)[0] == 429:
            connection.close()
            return number
    raise Broken(f"{path} is not limited at all")


@row(
    "A67",
    "endless requests for unknown names and invalid responses, from the address of a person's machine",
    "a machine that the server knows still gets in; the limit distinguishes names by nothing else",
    causes=("a local user",),
)
def flooded_address(lab):
    near_server(lab, "--address-rate", str(RATE))
    person = lab.person(registered=False)
    register_near(lab, person)
    must(lab.login(person, person.passcode).is_in, "not let in before")

    def question(name):
        return json.dumps({"op": "Auth", "context": json.dumps({"username": name})})

    junk = until_limited("/uaf/respond", "{}")
    must(lab.login(person, person.passcode).is_in, "answers that are none used up the turns of requests")
    strangers = until_limited("/uaf/get", question("nobody1"))
    logins = [lab.login(person, person.passcode) for _ in range(5)]
    must(all(each.is_in for each in logins), f"after {strangers} requests for nobody: {logins[0]}")
    lab.run("uaf-server", "enrol", "invited1", "--state", FOLDER)
    # The rate limit allows only a few more requests during the test.
    beyond = {name: until_limited("/uaf/get", question(name)) for name in ("invited1", "nobody1", "nobody2")}
    must(max(beyond.values()) < RATE, f"requests that were let through beyond the limit: {beyond}")
    return (
        f"{junk} answers that are none and {strangers} requests for nobody until HTTP 429 (limit {RATE} a minute); then "
        f"{len(logins)} of {len(logins)} logins in, and 429 for an account that has never logged in as for unknown names"
    )
