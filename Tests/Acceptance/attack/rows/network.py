"""A hostile network: servers with the wrong certificate, and no server at all."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import socket
import threading
import time

from attack.recorder import encode
from lab import forger, hosts, machine
from lab.table import must, row

TIMEOUT = 2
# Fewer than the limit: a value under verification counts as wrong until it has been found right.
AT_ONCE, LOCK = 8, "retry_count_to_lock = 10\nlock_time = 300"
UNTRUSTED = "The server's certificate or the channel binding is wrong."
NO_TLS = "no secure connection could be made"


def beside(lab, name, request_url=None, response_url=None, argument=""):
    """Creates a service with its own configuration, so that many can run in parallel; returns its name."""
    # libpam converts service names to lower case.
    name = name.lower()
    before = machine.CONFIGURATION.read_text()
    forger.point(request_url, response_url)
    # Only a server on this machine may have a lower cost.
    text = machine.CONFIGURATION.read_text()
    if any(url and "https://127.0.0.1" not in url for url in (request_url, response_url)):
        text = text.replace("kdf_cost = 10", "kdf_cost = 14")
    path = f"/etc/security/pam_uaf-{name}.conf"
    pathlib.Path(path).write_text(text)
    machine.CONFIGURATION.write_text(before)
    lab.stack(name, f"auth required pam_uaf.so conf={path} {argument}", "account required pam_permit.so")
    lab.after(lambda: os.unlink(path))
    return name


def at_once(lab, person, services, **options):
    """Logs in with the right passcode to each service, several at once; returns {service: (login, seconds)}."""

    def one(service):
        started = time.monotonic()
        login = lab.login(person, person.passcode, service, **options)
        return service, (login, time.monotonic() - started)

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(pool.map(one, services))


def count_connections(lab):
    """A listener that records its connections; returns its port and the list of connections."""
    listener, visits = socket.create_server(("127.0.0.1", 0)), []

    def count():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            visits.append(1)
            connection.close()

    threading.Thread(target=count, daemon=True).start()
    lab.after(lambda: (listener.shutdown(socket.SHUT_RDWR), listener.close()))
    return listener.getsockname()[1], visits


PLANTED_MODULE = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
__attribute__((constructor)) static void run(void)
{
  char path[256];
  snprintf(path, sizeof path, "/tmp/planted/ran-in-%s", program_invocation_short_name);
  open(path, O_CREAT | O_WRONLY, 0666);
}
int OSSL_provider_init(void *a, void *b, void **c, void **d) { (void)a; (void)b; (void)c; (void)d; return 0; }
"""


def plant(lab, proxy):
    """An environment that would redirect a login's connections: authorities, a proxy, a module for OpenSSL."""
    folder = pathlib.Path("/tmp/planted")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "module.c").write_text(PLANTED_MODULE)
    lab.run("cc", "-shared", "-fPIC", folder / "module.c", "-o", folder / "module.so")
    (folder / "openssl.cnf").write_text(
        f"openssl_conf = a\n[a]\nproviders = b\nssl_conf = s\n[b]\nplanted = c\n[c]\nmodule = {folder}/module.so\n"
        "activate = 1\n[s]\nsystem_default = d\n[d]\nMinProtocol = TLSv1\nCipherString = ALL:@SECLEVEL=0\n"
    )
    address = f"http://127.0.0.1:{proxy}"
    return {
        "OPENSSL_CONF": f"{folder}/openssl.cnf",
        "OPENSSL_MODULES": str(folder),
        "OPENSSL_ENGINES": str(folder),
        "SSL_CERT_FILE": f"{folder}/trusted.pem",
        "CURL_CA_BUNDLE": f"{folder}/trusted.pem",
        "SSL_CERT_DIR": str(folder),
        "SSLKEYLOGFILE": f"{folder}/keys",
        "https_proxy": address,
        "HTTPS_PROXY": address,
        "ALL_PROXY": address,
        "all_proxy": address,
        "CURL_HOME": str(folder),
        "HOME": str(folder),
    }


def left_behind():
    """The trace files that the planted code leaves when it runs."""
    names = [path.name for path in pathlib.Path("/tmp/planted").iterdir()]
    return sorted(name for name in names if name.startswith(("ran-in-", "keys")))


@row(
    "A13",
    "TLS: expired, other host, unknown CA, self-signed, TLS 1.0 and 1.1; certificates planted in the environment",
    "refused before anything is sent; the message says why; planted files and variables change nothing",
    causes=("the network", "a local user"),
)
def wrong_certificates(lab):
    person = lab.person()
    bad = forger.BadServers(lab)
    forger.trust(lab, bad.authority)
    lab.configure(lock=LOCK, server=f"timeout = {TIMEOUT}")
    refused = [beside(lab, f"tls-{name}", bad.url(name)) for name in ("wrongHost", "expired", "unknown", "selfSigned")]
    # Each bad server takes the place of the whole server, and then only of the address for responses.
    refused += [beside(lab, f"tls2-{name}", None, bad.url(name)) for name in ("wrongHost", "expired", "unknown")]
    old = [beside(lab, "tls-tls11", bad.url("tls11"))]
    proxy, visits = count_connections(lab)
    planted = plant(lab, proxy)
    trusted = pathlib.Path("/tmp/planted/trusted.pem")
    strangers = [pathlib.Path(bad.folder, f"{name}.pem").read_bytes() for name in ("stranger", "selfsigned")]
    trusted.write_bytes(b"".join(strangers))
    environments = {"clean": None, "planted": {**os.environ, **planted}}
    for name, environment in environments.items():
        for service, (login, _) in at_once(lab, person, refused + old, env=environment).items():
            expected = NO_TLS if service in old else UNTRUSTED
            must(login.code == hosts.AUTH_ERR and expected in login.text, f"{service}, {name} environment: {login}")
    # The right server, from the same environment.
    login = lab.login(person, person.passcode, env=environments["planted"])
    must(login.is_in, f"what is planted keeps the right server from being asked: {login}")
    must(not visits, f"the planted proxy was visited {len(visits)} times")
    must(not left_behind(), f"what was planted has run: {left_behind()}")
    lab.run("openssl", "list", "-providers", env=environments["planted"], check=False)
    must(left_behind() == ["ran-in-openssl"], "the planted module cannot run at all: nothing is shown")
    return (
        f'{len(refused)} x PAM_AUTH_ERR "{UNTRUSTED}", TLS 1.1 PAM_AUTH_ERR "... {NO_TLS}", the same with '
        f"{len(planted)} planted variables; planted proxy 0 visits, planted OpenSSL module not run "
        "(openssl(1) runs it), no key log"
    )


# --- No server


def stalled(lab, say):
    """Accepts, reads the greeting, sends some data and then nothing more."""
    listener = socket.create_server(("127.0.0.1", 0))
    kept = []

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            kept.append(connection)
            if say:
                connection.recv(4096)
                connection.sendall(say)

    threading.Thread(target=serve, daemon=True).start()
    lab.after(lambda: (listener.shutdown(socket.SHUT_RDWR), listener.close(), [end.close() for end in kept]))
    return listener.getsockname()[1]


def black_hole(lab):
    """A port whose packets the kernel drops: its listener accepts nothing and its backlog is full."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    waiting = []
    for _ in range(8):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(listener.getsockname())
        waiting.append(connection)
    lab.after(lambda: [end.close() for end in [listener, *waiting]])
    return listener.getsockname()[1]


def silent_names(lab):
    """A name server that receives every query and answers none; returns the queries."""
    server, heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), []
    server.bind(("127.0.0.53", 53))
    server.settimeout(0.1)

    def hear():
        while True:
            try:
                heard.append(server.recv(4096))
            except TimeoutError:
                continue
            except OSError:
                return

    listener = threading.Thread(target=hear, daemon=True)
    listener.start()
    resolver = pathlib.Path("/etc/resolv.conf")
    before = resolver.read_text() if resolver.exists() else ""
    resolver.write_text("nameserver 127.0.0.53\n")
    # A name server of the next row needs the port.
    lab.after(lambda: (resolver.write_text(before), server.close(), listener.join()))
    return heard


CALL_LIMIT = 4


@row(
    "A29",
    "server down, name server silent, black hole, half-open, silent after the handshake, slowed down",
    f"an end within the time-out ({TIMEOUT} s an exchange), or timeout={CALL_LIMIT} for the call; "
    "PAM_AUTHINFO_UNAVAIL only if no connection was made",
    causes=("the network", "the server"),
)
def nobody_there(lab):
    person = lab.person()
    bad = forger.BadServers(lab)
    forger.trust(lab, bad.authority)
    questions = silent_names(lab)
    lab.configure(lock=LOCK, server=f"timeout = {TIMEOUT}")
    local = "https://127.0.0.1:{}/uaf/get".format
    away = {
        "down": bad.url("closed"),
        "silent-dns": "https://fido.corporate.example/uaf/get",
        "no-route": "https://192.0.2.1/uaf/get",
        "black-hole": local(black_hole(lab)),
    }
    reached = {
        "half-open": local(stalled(lab, b"")),
        "stalled-handshake": local(stalled(lab, b"\x16\x03\x03\x40\x00\x02")),
        "mute": bad.url("mute"),
        "reset": bad.url("reset"),
        "not-tls": local(stalled(lab, b"SSH-2.0-OpenSSH_9.2\r\n")),
    }
    there = {"hangs": bad.url("good", "/hang"), "drips": bad.url("good", "/drip"), "cuts": bad.url("good", "/cut")}
    services = {beside(lab, f"away-{name}", url): hosts.AUTHINFO_UNAVAIL for name, url in away.items()}
    services |= {beside(lab, f"there-{name}", url): hosts.AUTH_ERR for name, url in {**reached, **there}.items()}
    # Once the server has given a request, silence is a refusal.
    services |= {
        beside(lab, f"late-{name}", None, url): hosts.AUTH_ERR
        for name, url in {**away, **reached, **there}.items()
        if lab.thorough or name in ("down", "black-hole", "stalled-handshake", "hangs")
    }
    seen = at_once(lab, person, services)
    for service, (login, seconds) in seen.items():
        must(login.code == services[service], f"{service}: {login}, expected {services[service]}")
        must(seconds < TIMEOUT + 3, f"{service}: {seconds:.1f} s")
    must(questions, "the silent name server was not asked")
    wrong = lab.login(person, "wrong-guess", "away-down")
    must("Wrong passcode: 9 tries left" in wrong.text, f"an absent server makes guesses free: {wrong}")
    dragged, seconds = drag_out(lab, person)
    absent = sum(code == hosts.AUTHINFO_UNAVAIL for code in services.values())
    slowest = max(seconds for _, seconds in seen.values())
    return (
        f"{absent} without a connection: PAM_AUTHINFO_UNAVAIL, {len(services) - absent} after one: PAM_AUTH_ERR, "
        f"the slowest after {slowest:.1f} s; a call dragged out by slow answers ended after {seconds:.1f} s with "
        f"code {dragged.code}"
    )


def drag_out(lab, person):
    """A server that sends each answer just in time; returns the login and how long it took."""

    def reply(request):
        said = forger.passing(request)
        time.sleep(TIMEOUT - 0.3)
        if request.path.endswith("/get"):
            opened.append(said)
            return said
        # The server accepts the response and sends a further request, like another vendor's server: its challenge has no tag.
        requests = json.loads(forger.member(opened[0].partition(b"\r\n\r\n")[2], "uafRequest"))
        further = [{**request, "challenge": encode(os.urandom(32))} for request in requests]
        return forger.answer(forger.verdict(newUAFRequest=json.dumps(further)))

    opened = []
    between = forger.Forger(lab, reply, shown=forger.STOLEN)
    url = f"https://127.0.0.1:{between.port}/uaf"
    service = beside(lab, "dragged", f"{url}/get", f"{url}/respond", f"timeout={CALL_LIMIT}")
    started = time.monotonic()
    login = lab.login(person, person.passcode, service)
    seconds = time.monotonic() - started
    must(not login.is_in and seconds < CALL_LIMIT + 2, f"dragged out to {seconds:.1f} s: {login}")
    must(len(between.heard) > 2, f"the server asked nothing further: {len(between.heard)} requests")
    return login, seconds
