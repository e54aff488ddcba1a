"""Makes the server unreachable for a login in `fallback`, where a revoked account's passcode and password then log in."""

import pathlib
import socket
import threading

from attack import bursts
from attack.rows.network import at_once, beside, silent_names, stalled
from attack.rows.starved_callers import INSIDE, asked
from lab import hosts, machine
from lab.table import must, row

TIMEOUT = 2
# A longer time-out for rows that would fail if this busy machine connected too slowly.
PATIENCE = 5
KIB = 1024
# An attacker may win a race: if that is possible, some of this many logins succeed.
BURSTS = 20
PORTS = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range")
# Resources that the network program needs and that an attacker can exhaust.
STARVING = (
    [f"--nproc={value}" for value in (0, 1, 2)]
    + [f"--nofile={value}" for value in range(8, 40, 3)]
    + [f"--as={value * 64 * KIB * KIB}" for value in (1, 4, 9, 10, 12)]
    + ["--stack=65536", "--memlock=0", "--fsize=0"]
)


def fallback(lab, service="fallback"):
    lines = pathlib.Path(hosts.STACKS, "fallback", "su").read_text().splitlines()
    lab.stack(service, *(line for line in lines if line.startswith("auth")))
    return service


def revoked(lab):
    person = lab.person()
    lab.run("uaf-server", "revoke", person.name, "--state", "/srv/uaf")
    return person


def answers(person):
    """The passcode, and then the password for every further prompt."""
    return "\n".join([person.passcode, *[person.password] * 3])


def closing(lab):
    """Accepts and closes immediately, like a server with too many connections; returns its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                listener.accept()[0].close()
            except OSError:
                return

    threading.Thread(target=serve, daemon=True).start()
    lab.after(lambda: (listener.shutdown(socket.SHUT_RDWR), listener.close()))
    return listener.getsockname()[1]


def without_ports(lab, person):
    """A login while other connections to the server occupy every local port."""
    before = PORTS.read_text()
    lab.after(lambda: PORTS.write_text(before))
    PORTS.write_text("40000 40003")
    held = [socket.create_connection(("127.0.0.1", machine.PORT)) for _ in range(4)]
    try:
        return lab.login(person, answers(person), "fallback")
    finally:
        for connection in held:
            connection.close()
        PORTS.write_text(before)


def in_bursts(lab, caller, person):
    """Logins while free ports, for connections and look-ups, keep appearing and disappearing; returns what logged in, and how
    often."""
    found = {}
    with bursts.ports(caller, socket.SOCK_STREAM, 1, 0.0001, 0.0001):
        found["the last port comes and goes"] = times_in(lab, person)
    point_to(lab, "not-in-hosts.corporate.example")
    with bursts.name_server():
        login = lab.login(person, answers(person), "fallback")
        must(login.code == hosts.AUTH_ERR, f"the name is not looked up: {login}")
        for taken_for, free_for in ((0.0001, 0.0001), (0.02, 0.05)):
            with bursts.ports(caller, socket.SOCK_DGRAM, 12, taken_for, free_for):
                found[f"ports for look-ups come and go, {taken_for} s"] = times_in(lab, person)
    return [f"{what} ({count} of {BURSTS})" for what, count in found.items() if count]


def times_in(lab, person):
    return sum(lab.login(person, answers(person), "fallback").is_in for _ in range(BURSTS))


def by_name(lab):
    """Names the server, so that a look-up is needed. Its certificate is for a different name, which the client refuses."""
    names = pathlib.Path("/etc/hosts")
    before = names.read_text() if names.exists() else ""
    lab.after(lambda: names.write_text(before))
    names.write_text(before + "127.0.0.1 fido.corporate.example\n")
    point_to(lab, "fido.corporate.example")


def point_to(lab, name):
    # Only a server on this machine may have a lower derivation cost.
    lab.configure(server=f"timeout = {PATIENCE}", cost=14)
    text = machine.CONFIGURATION.read_text()
    machine.CONFIGURATION.write_text(text.replace("https://127.0.0.1:", f"https://{name}:"))


@row(
    "A51",
    "making the server seem unreachable by starving the network program, or by keeping the server busy",
    "never reported for a lack of our own resources, nor for a machine that was reached: a revoked account gets in nowhere",
    causes=("a local user", "somebody remote"),
)
def away_by_starving(lab):
    gone, caller, person = revoked(lab), lab.person(), lab.person()
    fallback(lab)
    hosts.ask_uaf(lab, "su", "fallback")
    command = ["su", gone.name, "-c", f"echo {INSIDE}"]
    login = lab.login(person, person.passcode, "fallback")
    must(login.is_in, f"without limits the passcode does not let in: {login}")
    by_name(lab)
    login = lab.login(gone, answers(gone), "fallback")
    must(login.code == hosts.AUTH_ERR, f"by its name the server is not reached: {login}")
    must(INSIDE not in asked(command, caller, answers(gone)).split(), "without limits the revoked account gets in")
    broken = []
    for limit in STARVING if lab.thorough else STARVING[:4] + STARVING[4::2]:
        login = lab.login(gone, answers(gone), "fallback", prefix=["prlimit", limit])
        if login.is_in or login.code == hosts.AUTHINFO_UNAVAIL:
            broken.append(f"small host, {limit}")
    for limit in STARVING[:2]:
        if INSIDE in asked(command, caller, answers(gone), ["prlimit", limit]).split():
            broken.append(f"su, {limit}")
    lab.configure(server=f"timeout = {PATIENCE}")
    if without_ports(lab, gone).is_in:
        broken.append("no port is left")
    broken += in_bursts(lab, caller, gone)
    reached = {"accepts and closes": closing(lab), "accepts and is silent": stalled(lab, b"")}
    for what, port in reached.items():
        lab.configure(server=f"timeout = {PATIENCE}", port=port)
        if lab.login(gone, answers(gone), "fallback").is_in:
            broken.append(f"a server that {what}")
    must(not broken, f"a revoked account got in by passcode and password: {', '.join(broken)}")
    # A control: if nobody listens at the port, the password lets the account in, as root chose with the stack's shape.
    lab.configure(server=f"timeout = {TIMEOUT}", port=1)
    must(lab.login(gone, answers(gone), "fallback").is_in, "a server that is away is not told any more")
    return (
        f"{len(STARVING[:4] + STARVING[4::2]) + 2} limits, no free port, {3 * BURSTS} logins while the last "
        "ones come and go, a server that accepts and closes or is silent: refused; with nobody at the server's port the "
        "password as documented"
    )


@row(
    "A60",
    "name servers that hang: silent, many of them, with their own long time limits, silent after the first bytes",
    f"an end within the time-out ({TIMEOUT} s); PAM_AUTHINFO_UNAVAIL after the right value, a wrong one is counted",
    causes=("the network",),
)
def hanging_names(lab):
    person = lab.person()
    questions = silent_names(lab)
    lab.configure(server=f"timeout = {TIMEOUT}")
    resolver, seen = pathlib.Path("/etc/resolv.conf"), {}
    ways = {
        "one": "nameserver 127.0.0.53\n",
        "three": "nameserver 127.0.0.53\n" * 3,
        "patient": "nameserver 127.0.0.53\noptions timeout:30 attempts:5\n",
        "by TCP": "nameserver 127.0.0.53\noptions use-vc timeout:30\n",
        "nobody there": "nameserver 192.0.2.1\n",
    }
    service = beside(lab, "hanging", "https://fido.corporate.example/uaf/get")
    hole = socket.create_server(("127.0.0.53", 53))
    lab.after(hole.close)
    for what, text in ways.items():
        resolver.write_text(text)
        login, seconds = at_once(lab, person, [service])[service]
        must(login.code == hosts.AUTHINFO_UNAVAIL, f"{what}: {login}")
        must(seconds < TIMEOUT + 4, f"{what}: {seconds:.1f} s")
        seen[what] = seconds
    must(questions, "the silent name server was not asked")
    wrong = lab.login(person, "wrong-guess", service)
    must(wrong.code == hosts.AUTH_ERR and "tries left" in wrong.text, f"a name server that hangs makes guesses free: {wrong}")
    return f"{len(ways)} ways, each PAM_AUTHINFO_UNAVAIL, the slowest after {max(seen.values()):.1f} s; a wrong value counted"
