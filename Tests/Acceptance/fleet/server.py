"""Instances of uaf-server, and haproxy before them as examples/uaf-server-haproxy-tcp.cfg sets it up."""

import shutil
import signal
import socket
import subprocess
import urllib.parse

from fleet.cluster import DATABASE, ROLE
from fleet.programs import Program, as_user, folder, write
from lab.machine import ROOT
from lab.waiting import until

EXAMPLE = ROOT / "examples/uaf-server-haproxy-tcp.cfg"
KEYS = ("server.secret", "machine.secret", "decoy.secret", "verdict.key", "verdict.pub", "audit.key", "audit.pub")
# All clients have one address here.
UNLIMITED = ("--account-rate", "0", "--address-rate", "0", "--address-connections", "0")
NAME, PROXY, PORT = "uaf.example.org", "127.0.3.1", 8443
URL = f"https://{NAME}"


def store_options(places, **settings):
    """The store's URL as an administrator writes it, with its option."""
    return ["--store", f"postgresql://{ROLE}@{','.join(places)}/{DATABASE}?{urllib.parse.urlencode(settings, safe='/')}"]


class Instance:
    """A `uaf-server serve` with its own address and folder."""

    def __init__(self, name, address, certificates, store, before=(), limits=UNLIMITED):
        self.name, self.address = name, address
        self.state = folder(f"/srv/{name}")
        self.store = [str(part) for part in store]
        command = [*before, "uaf-server", "serve", "--state", self.state, *self.store]
        command += ["--listen", f"{address}:{PORT}", "--public-url", URL, *limits, "--channel-binding", "require"]
        command += ["--certificate", certificates / "leaf.pem", "--key", certificates / "leaf.key"]
        self.program = Program(name, command, self.state)

    def share(self, other):
        """Copies the files that an administrator copies from one instance to the other."""
        for name in KEYS:
            write(self.state / name, (other.state / name).read_bytes())

    def start(self, wait=True):
        self.program.start_if_gone()
        if wait:
            until(self.listens, f"{self.name} to listen: {self.program.told()[-400:]}", 60)

    def listens(self):
        try:
            socket.create_connection((self.address, PORT), 1).close()
        except OSError:
            return False
        return True

    def run(self, subcommand, *arguments, check=True, **options):
        """Runs a different subcommand on the same store."""
        command = ["uaf-server", subcommand, *arguments, "--state", self.state, *self.store]
        return as_user(*command, check=check, **options)

    def rotate(self, kind, seconds):
        """Adds a key that becomes active after this many seconds."""
        as_user("uaf-server", "keys", "rotate", kind, "--in", seconds, "--state", self.state)

    def reload(self):
        """Makes the server reload its keys."""
        self.program.process.send_signal(signal.SIGHUP)

    def payload(self, account):
        """A code with which a person registers."""
        return self.run("enrol", account, "--server", URL).stdout.strip()

    def remove(self):
        self.program.stop()
        shutil.rmtree(self.state, ignore_errors=True)


class Proxy:
    """haproxy."""

    def __init__(self, instances):
        text = EXAMPLE.read_text().replace("192.0.2.20:", f"{PROXY}:")
        for number, instance in enumerate(instances, 1):
            text = text.replace(f"192.0.2.2{number}:8443", f"{instance.address}:{PORT}")
        # In this network namespace a user may listen on any port.
        subprocess.run(["sh", "-c", "echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start"], check=True)
        file = write("/srv/haproxy.cfg", text, 0o644)
        self.program = Program("haproxy", ["/usr/sbin/haproxy", "-db", "-f", file])

    def up(self):
        self.program.start_if_gone()
        until(self._accepts, "haproxy to listen")

    @staticmethod
    def _accepts():
        try:
            socket.create_connection((PROXY, 443), 1).close()
        except OSError:
            return False
        return True
