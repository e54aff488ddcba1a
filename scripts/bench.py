#!/usr/bin/env python3
"""Times the login path as a whole, from outside: `make bench`, as root, after `make build`.

All but the last three run unless some are named. `bench.py login`: our logins and those of other modules, in turn, with what each
costs (scripts/measure/login.py). `bench.py derivation`: two configurations that differ only in the cost of the key derivation
take turns, so that the rest of the time can be told apart. It times pam_authenticate: from the call to the first prompt, and from
the answer to the end, each as a median over the rounds. `bench.py overlap`: a slow server, and a person who needs longer to type
than the server to answer. It compares how long the person still waits after Enter: if the request is sent while the person types,
in a divided login, and if it were sent only after Enter. `bench.py chip`: logins with the device key in a chip and in a file
(scripts/measure/chip.py). `bench.py builds CHECKOUT`: logins of this build and of another checkout's build take turns, and then
their servers on both stores (scripts/measure/beside.py). This build also takes turns with itself, as a negative control: the
difference of its ratio from 1 is noise. `bench.py server [STORE]`: the server under load, compared with others; see
measure/page.py. `make bench` runs it, too. `bench.py peers [STORE]`: of that, only our server and the others. STORE is
`sqlite` or `postgresql`, and it starts one of these. `bench.py directory [STORE]`: pages of a large store; see
measure/directory.py. `bench.py floor`: what a login's mandatory operations cost alone. `bench.py counts [STORE...]`: a login's
instructions, allocations and reference counting; see measure/counts.py. `bench.py morning [STORE] [--people N] [--machines N]
[--logins N] [--minutes M]`: a large server in the morning; see measure/morning.py. `make bench` runs it, too.
"""

import functools
import hashlib
import http.client
import http.server
import os
import pathlib
import random
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

from measure import beside, chip, counts, directory, floor, morning, page
from measure import login as logins
from pam_login import pam_login, stack

ROOT = pathlib.Path(__file__).resolve().parent.parent


def stage(checkout):
    """Where a checkout's build has its programs."""
    return checkout / "build/stage" / (checkout / "build/stage.prefix").read_text().strip().lstrip("/")


STAGE = stage(ROOT)
MODULE = ROOT / "build/tree/pam_uaf.so"
REACHING = ROOT / "build/cshim/installed/pam_uaf.so"
ROUNDS = int(os.environ.get("ROUNDS", "50"))
UNLIMITED = ("--address-rate", "0", "--account-rate", "0")
OVERLAP_ROUNDS = int(os.environ.get("OVERLAP_ROUNDS", "5"))
COSTS = (10, 16)
ANSWERING, TYPING = 2, 3  # Seconds: a remote server, and a person who types a fairly long passcode.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
HELPERS = 3  # The descriptor at which the helper finds its conversation.
NOTHING = os.open("/dev/null", os.O_RDONLY)
PASSCODE = b"bench passcode 1"


def field(tag, value):
    return struct.pack(">BH", tag, len(value)) + value


def begin(configuration, divided):
    return (
        b"\x01"
        + field(1, b"\0\5")
        + field(2, b"\1")
        + field(3, struct.pack(">I", 0))
        + field(4, b"root")
        + field(5, b"root")
        + field(6, b"login")
        + field(12, b"conf=" + str(configuration).encode())
        + (field(15, b"\1") if divided else b"")
    )


def login(configuration, typing=0.05, divided=False):
    """Seconds from start to *ready* (0 unless divided), from start to the prompt, and from the answer to the end.

    The person types for `typing` seconds: by default just long enough for the server's request to arrive.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    started = time.perf_counter()
    os.dup2(theirs.fileno(), HELPERS)
    helper = subprocess.Popen([STAGE / "libexec/pam-uaf/uaf-helper"], env=ENVIRONMENT, pass_fds=(HELPERS,))
    os.dup2(NOTHING, HELPERS)
    theirs.close()
    ours.send(begin(configuration, divided))
    ready = prompted = answered = started
    while True:
        packet = ours.recv(65536)
        if packet[:1] == b"\x84":
            ready = time.perf_counter()
            ours.send(b"\x04")
        elif packet[:1] == b"\x81":
            prompted = time.perf_counter()
            time.sleep(typing)
            answered = time.perf_counter()
            ours.send(b"\x02" + field(1, PASSCODE))
        elif packet[:1] == b"\x86":
            finished = time.perf_counter()
            break
        elif not packet:
            sys.exit("bench: the helper ended without a word")
    ours.close()
    helper.wait()
    if packet[4] != 0:
        sys.exit(f"bench: the login was refused: {packet!r}")
    return ready - started, prompted - started, finished - answered


def derivation(cost):
    started = time.perf_counter()
    hashlib.scrypt(PASSCODE, salt=b"0" * 16, n=1 << cost, r=8, p=2, maxmem=1 << 30, dklen=32)
    return time.perf_counter() - started


class SlowServer(http.server.ThreadingHTTPServer):
    """A remote server: a proxy that forwards every answer of the server with a delay.

    It has the server's own certificate, because a signature is bound to the certificate that the client saw.
    """

    daemon_threads = True

    def __init__(self, state, port):
        super().__init__(("127.0.0.1", 0), Passing)
        self.behind = port
        self.trusted = ssl.create_default_context(cafile=state / "ca.pem")
        self.certified = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.certified.load_cert_chain(state / "certificate.pem", state / "key.pem")

    def finish_request(self, request, client_address):
        with self.certified.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SlowServer

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        behind = http.client.HTTPSConnection("127.0.0.1", self.server.behind, context=self.server.trusted)
        named = {name: self.headers[name] for name in ("Content-Type", "Accept") if name in self.headers}
        behind.request("POST", self.path, body, named)
        answer = behind.getresponse()
        content = answer.read()
        behind.close()
        time.sleep(ANSWERING)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Prints nothing: only the figures are printed."""


def register(folder, cost, port, server_state, name, more=""):
    configuration = folder / f"conf-{name}"
    configuration.write_text(
        f'authenticators = ["passcode"]\n[server]\nrequest_url = "https://127.0.0.1:{port}/uaf/get"\n'
        f'response_url = "https://127.0.0.1:{port}/uaf/respond"\nca_file = "{server_state}/ca.pem"\n'
        # For the server, each state folder is an account: a second one of this machine with the same name would replace the
        # first.
        f'username = "{{user}}-{name}"\n'
        f'[state]\ndirectory = "{folder}/state-{name}"\nkdf_cost = {cost}\n{more}'
    )
    tool = [STAGE / "bin/uafctl", "--conf", configuration]
    payload = folder / f"payload-{name}"
    payload.touch(0o600)
    payload.write_bytes(
        subprocess.run(
            [STAGE / "bin/uaf-server", "enrol", f"root-{name}", "--state", server_state], check=True, capture_output=True
        ).stdout
    )
    subprocess.run([*tool, "init"], check=True, capture_output=True)
    subprocess.run(
        [*tool, "register", "root", "--code", payload],
        check=True,
        capture_output=True,
        input=PASSCODE + b"\n" + PASSCODE + b"\n",
    )
    return configuration


def measure_derivation(folder, port, state):
    folders = {cost: stack(MODULE, register(folder, cost, port, state, cost)) for cost in COSTS}
    samples = {cost: [] for cost in COSTS}
    for _ in range(ROUNDS):
        for cost in COSTS:
            start, end = pam_login(folders[cost], PASSCODE)
            samples[cost].append((start, end, derivation(cost)))
    print(f"medians of {ROUNDS} rounds in turn, milliseconds")
    print(f"{'kdf_cost':>8} {'start to prompt':>16} {'answer to end':>14} {'scrypt alone':>13} {'rest':>7}")
    for cost in COSTS:
        medians = [1000 * statistics.median(column) for column in zip(*samples[cost])]
        rest = 1000 * statistics.median(end - kdf for _, end, kdf in samples[cost])
        print(f"{cost:>8} {medians[0]:>16.1f} {medians[1]:>14.1f} {medians[2]:>13.1f} {rest:>7.1f}")
    ratio = statistics.median(b[1] / a[1] for a, b in zip(samples[COSTS[0]], samples[COSTS[1]]))
    print(f"a login at kdf_cost {COSTS[1]} takes {ratio:.1f} times one at {COSTS[0]}")


def measure_builds(folder, port, state, checkout):
    """Times logins of each build, in a new random order each round; this build has registered a state folder for each."""
    other = pathlib.Path(checkout).resolve() / "build/tree/pam_uaf.so"
    if not other.exists():
        sys.exit(f"bench: {other} is not there: run 'make build' in that checkout first")
    builds = {"this": MODULE, "this again": MODULE, "the other": other}
    folders = {
        name: stack(module, register(folder, COSTS[0], port, state, name.replace(" ", "-"))) for name, module in builds.items()
    }
    samples = {name: [] for name in builds}
    for _ in range(ROUNDS):
        for name in random.sample(list(builds), len(builds)):
            start, end = pam_login(folders[name], PASSCODE)
            samples[name].append((start, end, start + end))
    columns = ("call to prompt", "answer to end", "whole login")
    print(f"pam_authenticate, medians of {ROUNDS} rounds in turn, milliseconds; ratio to the other build")
    print(f"{'':<12}" + "".join(f"{name:>24}" for name in columns))
    whole = {name: [statistics.median(column) for column in zip(*samples[name])] for name in builds}
    for name, medians in whole.items():
        cells = (f"{1000 * own:.2f} ({own / others:.3f})" for own, others in zip(medians, whole["the other"]))
        print(f"{name:<12}" + "".join(f"{cell:>24}" for cell in cells))
    print(flush=True)
    beside.run(STAGE / "bin/uaf-server", stage(pathlib.Path(checkout).resolve()) / "bin/uaf-server")


def measure_overlap(folder, port, state):
    slow = SlowServer(state, port)
    threading.Thread(target=slow.serve_forever, daemon=True).start()
    configuration = register(folder, COSTS[1], port, state, "overlap")
    # The AppID is still at the server's own address, and the client fetches it from there only if root lists it.
    listed = f'app_ids = ["https://127.0.0.1:{port}/uaf/facets"]\n[state]'
    moved = configuration.read_text().replace(f":{port}/", f":{slow.server_port}/")
    configuration.write_text(moved.replace("[state]", listed))
    rounds = [(login(configuration, TYPING), login(configuration, TYPING, divided=True)) for _ in range(OVERLAP_ROUNDS)]
    slow.shutdown()
    print(
        f"the server answers after {ANSWERING} s, the person types for {TYPING} s, kdf_cost {COSTS[1]}; "
        f"medians of {OVERLAP_ROUNDS} rounds in turn, seconds"
    )
    print(f"{'':<16} {'start to prompt':>16} {'Enter to verdict':>17}")
    for name, way in (("overlapped", 0), ("divided", 1)):
        _, start, end = [statistics.median(column) for column in zip(*(both[way] for both in rounds))]
        print(f"{name:<16} {start:>16.2f} {end:>17.2f}")
    # Divided, the time before *ready* is only the request's round trip: nobody types in the meantime.
    both = statistics.median(divided[0] + divided[2] for _, divided in rounds)
    print(f"{'two round trips':<16} {'':>16} {both:>17.2f}   (not done: the request after Enter, then the answer)")


def measure_logins(folder, port, state):
    def registering(cost):
        return register(folder, cost, port, state, f"login-{cost}")

    logins.measure(folder, ROUNDS, registering, (MODULE, REACHING), STAGE / "libexec/pam-uaf/uaf-helper", PASSCODE)


def measure_chip(folder, port, state):
    registering = functools.partial(register, folder, port=port, server_state=state)
    chip.measure(ROUNDS, lambda **given: stack(MODULE, registering(**given)), lambda machine: pam_login(machine, PASSCODE))


def chosen_parts():
    """The parts that the command line names, or all."""
    parts = {"derivation": measure_derivation, "overlap": measure_overlap, "chip": measure_chip, "login": measure_logins}
    match sys.argv[1:]:
        case ["server" | "directory" as part, *engine] if engine in ([], ["sqlite"], ["postgresql"]):
            sys.exit((page if part == "server" else directory).run(STAGE / "bin/uaf-server", *engine))
        case ["peers", *engine] if engine in ([], ["sqlite"], ["postgresql"]):
            sys.exit(page.run_peers(STAGE / "bin/uaf-server", *engine))
        case ["morning", *words]:
            sys.exit(morning.run(STAGE / "bin/uaf-server", words))
        case ["floor" | "counts" as part, *engines] if set(engines) <= {"sqlite", "postgresql"}:
            if part == "floor":
                sys.exit(floor.run(STAGE / "bin/uaf-server"))
            # The staged program has no names of functions.
            sys.exit(counts.run(ROOT / "Server/.build/release/uaf-server", *([engines] if engines else [])))
        case ["builds", checkout]:
            return [lambda folder, port, state: measure_builds(folder, port, state, checkout)]
        case names if set(names) <= set(parts):
            return [parts[name] for name in names or parts]
        case _:
            others = (
                "bench.py builds CHECKOUT, bench.py server|directory|morning [STORE], bench.py floor, bench.py counts [STORE...]"
            )
            sys.exit(f"bench: usage: bench.py [{'] ['.join(parts)}], {others}")


def main():
    chosen = chosen_parts()
    if os.geteuid() != 0:
        sys.exit("bench: run as root (the helper serves root alone)")
    os.umask(0o077)
    os.dup2(NOTHING, HELPERS)  # So that no file of this process gets the number.
    with tempfile.TemporaryDirectory(prefix="pam-uaf-bench.") as name:
        folder = pathlib.Path(name)
        state = folder / "server"
        server = subprocess.Popen(
            [STAGE / "bin/uaf-server", "serve", "--state", state, "--listen", "127.0.0.1:0", "--development", *UNLIMITED],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        try:
            assert server.stdout
            port = server.stdout.readline().strip().rsplit(":", 1)[1]
            for part in chosen:
                part(folder, port, state)
                print()
        finally:
            server.terminate()
            server.wait()


main()
