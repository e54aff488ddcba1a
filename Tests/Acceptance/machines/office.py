"""The start of a row: a server with a name, and workstations with our package but without a configured server."""

import contextlib
import itertools
import json

from lab.table import Skip, must
from lab.waiting import until
from machines import network
from packages import scene
from packages.machine import STEP
from packages.scene import PASSCODE, Scene

NAME, PORT = "uaf.example", 8443
SERVER = f"https://{NAME}:{PORT}"
DROP_INS = "/etc/security/pam_uaf.conf.d"
STATE = "/var/lib/uaf-server"
AUTHORITY = "/etc/pam-uaf/ca.pem"


class Office(Scene):
    """Machines on one network. The server has the address 10.77.0.2."""

    def __init__(self, folder):
        super().__init__(folder)
        self._must_boot()
        network.lay()
        self._addresses = itertools.count(3)
        self._layers = None
        self._open = contextlib.ExitStack()
        self._server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._open.close()

    def _installed_layers(self):
        """The layers of a machine with both packages, with mina and otto, and without a server in its configuration."""
        if self._layers is None:
            with self._machine([self._bare], True, keeps_layer=True) as machine:
                scene.install(machine, self.archives)
                scene.populate(machine)
                # Each machine creates its own ID: the server would take copies for one machine.
                machine.run("rm", "-rf", "/var/lib/pam-uaf")
                # Empty, so that systemd makes an ID; without the file, it would treat this as the machine's very first boot.
                machine.write("/etc/machine-id", "")
                text = machine.read(scene.CONFIGURATION).replace("#kdf_cost  = 16", "kdf_cost = 14", 1)
                machine.write(scene.CONFIGURATION, text)
                machine.run("sync")
            self._layers = [machine.layer, self._bare]
        return self._layers

    @contextlib.contextmanager
    def _on_the_network(self, name, number):
        with self._machine(self._installed_layers(), True, own_network=True) as machine:
            network.connect(machine, number)
            machine.number = number
            machine.run("hostname", name)
            machine.write("/etc/hosts", f"127.0.0.1 localhost {name}\n10.77.0.2 {NAME}\n")
            yield machine

    @contextlib.contextmanager
    def workstation(self, name="desk"):
        """A workstation a minute after its package was installed."""
        number = next(self._addresses)
        with self._on_the_network(f"{name}-{number}", number) as machine:
            machine.run("uafctl", "init")
            yield machine

    @contextlib.contextmanager
    def without_packages(self, name):
        """A machine on the network on which our packages were never installed."""
        number = next(self._addresses)
        with self._machine([self._bare], True, own_network=True) as machine:
            network.connect(machine, number)
            machine.number = number
            machine.run("hostname", f"{name}-{number}")
            yield machine

    @contextlib.contextmanager
    def of_other_release(self, name="desk"):
        """A workstation with the other release of Debian, and the package built for it."""
        bare = self._root / "other"
        archives = [archive for archive in self.of_other_releases() if archive.name.startswith("libpam-uaf_")]
        if not bare.is_dir() or not archives:
            raise Skip("no workstation of the other release: build its packages by make deb DIST=trixie, or bookworm")
        number = next(self._addresses)
        with self._machine([bare], True, own_network=True) as machine:
            network.connect(machine, number)
            machine.number = number
            machine.run("hostname", f"{name}-{number}")
            machine.write("/etc/hosts", f"127.0.0.1 localhost {name}-{number}\n10.77.0.2 {NAME}\n")
            scene.install(machine, {"libpam-uaf": archives[-1]})
            scene.populate(machine)
            yield machine

    def equip(self, machine, kind):
        """Installs what a kind of machine needs, as root.sh has fetched it."""
        archives = sorted((self._folder / "guests" / kind).glob("*.deb"))
        if not archives:
            raise Skip(f"what a machine of the kind {kind} installs could not be fetched: build/packages/guests.log")
        paths = [machine.bring(archive, f"/var/tmp/{archive.name}") for archive in archives]
        machine.run("apt-get", "install", "--yes", "--no-install-recommends", *paths)

    @property
    def server(self):
        """The server's machine, which runs until the rows have ended."""
        if self._server is None:
            machine = self._open.enter_context(self._on_the_network("server", 2))
            certify(machine)
            options = f"--listen 0.0.0.0:{PORT} --public-url {SERVER}"
            machine.write("/etc/default/uaf-server", f'UAF_SERVER_OPTIONS="{options}"\n')
            machine.run("systemctl", "start", "uaf-server")
            said = ("journalctl", "--quiet", "-u", "uaf-server")
            until(lambda: "listening on" in machine.run(*said).stdout, "the server", seconds=STEP)
            self._server = machine
        return self._server

    def administer(self, *arguments, **options):
        """Runs `uaf-server` on the server's machine, as its administrator does."""
        command = ("runuser", "-u", "uaf-server", "--", "uaf-server", *arguments, "--state", STATE)
        return self.server.run(*command, **options)

    def says(self, *arguments):
        """The standard output of a `uaf-server` command on the server's machine."""
        return self.server.says("runuser", "-u", "uaf-server", "--", "uaf-server", *arguments, "--state", STATE)

    @contextlib.contextmanager
    def empty_state(self):
        """Stops the server and gives it an empty state folder, which the caller fills; the old folder stays beside it."""
        self.server.run("systemctl", "stop", "uaf-server")
        old = f"{STATE}.{next(self._addresses)}"
        self.server.run("mv", STATE, old)
        self.server.run("install", "-d", "-o", "uaf-server", "-g", "uaf-server", "-m", "0700", STATE)
        yield old
        self.server.run("systemctl", "start", "uaf-server")

    def join_code(self, *options):
        """A new join code: number, payload, fingerprint and the server's other data about it."""
        return json.loads(self.says("join-code", "create", "--json", "--authority", AUTHORITY, *options))

    def machines(self):
        """The server's records of machines, by their names."""
        lines = self.says("machines", "--json").splitlines()
        return {machine.get("name"): machine for machine in map(json.loads, lines)}

    def enrol(self, person, machine, name="mina"):
        """Registers a passcode of a person on a workstation, as the person does it."""
        payload = self.says("enrol", person)
        home = f"/home/{name}/code"
        machine.write(home, payload, 0o600)
        machine.run("chown", name, home)
        register = ("runuser", "-u", name, "--", "uafctl", "register", "passcode", "--code", home)
        return machine.run(*register, answers=f"{PASSCODE}\n{PASSCODE}\n")


def certify(machine):
    """Creates the organisation's own authority and a certificate for the server, with openssl."""
    folder = "/etc/uaf-server"
    machine.run("install", "-d", "-m", "0700", "/root/authority")
    made = "/root/authority"
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    machine.run(*new, "-days", "3650", "-subj", "/CN=Example authority", "-keyout", f"{made}/ca.key", "-out", f"{made}/ca.pem")
    machine.run(
        *new, "-days", "90", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
        "-addext", "basicConstraints=critical,CA:FALSE", "-CA", f"{made}/ca.pem", "-CAkey", f"{made}/ca.key",
        "-keyout", f"{folder}/key.pem", "-out", f"{made}/server.pem",
    )  # fmt: skip
    machine.run("install", "-m", "0600", f"{made}/server.pem", f"{folder}/certificate.pem")
    machine.run("install", "-D", "-m", "0644", f"{made}/ca.pem", AUTHORITY)
    machine.run("chmod", "0600", f"{folder}/key.pem")


def hand_over(machine, payload, path="/root/payload"):
    """Copies a payload to root's folder on a workstation."""
    machine.write(path, payload + "\n", 0o600)
    return path


def join(machine, payload, *options, check=True):
    path = hand_over(machine, payload)
    return machine.run("uafctl", "join", "--payload", path, *options, check=check)


def configuration(machine):
    """One line for each file that names the server, and for each file of the state that a join writes.

    A refused join may leave the lock file of check-ins, which is empty and decides nothing.
    """
    look = "find /etc/security /var/lib/pam-uaf ! -name machine.lock -printf '%p %m %u %l\\n' -type f -exec sha256sum {} +"
    lines = machine.run("sh", "-c", look, check=False).stdout.splitlines()
    # sha256sum prints the name after the digits, find prints it first.
    return {line.split()[-1] if len(line.split()[0]) == 64 else line.split()[0]: line for line in sorted(lines)}


def unchanged(machine, before, what):
    after = configuration(machine)
    changed = sorted(name for name in before | after if before.get(name) != after.get(name))
    must(not changed, f"{what} has changed {changed}")
