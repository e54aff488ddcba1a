"""A uaf-server with its console, one administrator of each role, and the browsers that visit it."""

import itertools
import json
import pathlib
import signal
import socket
import subprocess

from console.browser import Browser
from console.visitor import Visitor
from fleet import certificates
from fleet.client import Channel, Person, Verdicts
from fleet.programs import USER, Program, as_user, folder
from fleet.workstation import Workstation
from lab import loopback
from lab.table import must
from lab.waiting import until

# Not 127.0.0.1: the server counts all loopback addresses as one, so all rows together would share one limit of sign-ins.
NAME, ADDRESS, MASK, PORT, CONSOLE = "uaf.example.org", "192.0.2.1", "255.255.255.0", 8443, 8444
ROLES = ("auditor", "helpdesk", "operator", "administrator")


class Desk:
    """Use as a context. lab.run requires `tidy` and `thorough`."""

    thorough = False
    program: Program
    people: dict[str, Person]

    def __init__(self):
        self._numbers = itertools.count(1)
        self._browsers = []

    def __enter__(self):
        loopback.up()
        loopback.add(ADDRESS, MASK)
        if subprocess.run(["id", USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", "--system", "--user-group", "--home-dir", "/srv", USER], check=True)
        with pathlib.Path("/etc/hosts").open("a") as file:
            file.write(f"{ADDRESS} {NAME}\n")
        folder("/srv", 0o755)
        files = folder("/srv/certificates")
        certificates.make(files, [NAME])
        self.state, self.authority = folder("/srv/state"), files / "ca.pem"
        self.metadata = folder("/srv/metadata", 0o755)
        command = ["uaf-server", "serve", "--state", self.state, "--listen", f"{ADDRESS}:{PORT}"]
        command += ["--admin-listen", f"{ADDRESS}:{CONSOLE}", "--public-url", f"https://{NAME}:{PORT}"]
        command += ["--certificate", files / "leaf.pem", "--key", files / "leaf.key", "--metadata", self.metadata]
        command += ["--account-rate", "0", "--address-rate", "0", "--address-connections", "0"]
        self.program = Program("console", command)
        self.visitor = Visitor(NAME, ADDRESS, CONSOLE, self.authority)
        self.restart()
        self._channel = Channel(NAME, ADDRESS, PORT, self.authority)
        self._verdicts = Verdicts((self.state / "verdict.pub").read_bytes())
        self.people = {role: self.person(role) for role in ROLES}
        for role in ROLES:
            self.run("admin", "add", role, role)
        return self

    def __exit__(self, *_):
        self.tidy()
        self.program.stop()

    def restart(self):
        """Starts the server, which reads its metadata then; a server that runs is ended before."""
        self.program.stop()
        self.program.start()
        until(self.visitor.is_answered, f"the console: {self.program.told()[-400:]}")

    @property
    def channel(self):
        """A new connection to the server: the server closes an idle one while a browser shows pages."""
        self._channel.close()
        return self._channel

    def tidy(self):
        for browser in self._browsers:
            browser.close()
        self._browsers.clear()

    def run(self, *arguments):
        return as_user("uaf-server", *arguments, "--state", self.state).stdout.strip()

    def coming_key(self):
        """The id of a verdict key that the server will use later; it is made by the first call."""
        found = [json.loads(line) for line in self.run("keys", "status", "--json").splitlines()]
        if not found:
            self.run("keys", "rotate", "verdict")
            self.program.process.send_signal(signal.SIGHUP)
            until(lambda: '"coming":[{' in self.api("/coming-trust").replace(" ", ""), "a coming key")
            return self.coming_key()
        return found[0]["name"]

    def join_line(self, machines):
        """The line of a new join code."""
        url = f"https://{NAME}:{PORT}"
        return self.run("join-code", "create", "--server", url, "--group", "lab", "--machines", machines)

    def joined(self, name, line):
        """A workstation that has joined and reported."""
        machine = Workstation(name)
        machine.join(self.channel, line)
        must(machine.check_in(self.channel)[0] == 200, f"{name} was refused")
        return machine

    def run_all(self, *arguments):
        """What a command prints, notes included."""
        done = as_user("uaf-server", *arguments, "--state", self.state)
        return done.stdout + done.stderr

    def api(self, path):
        """What the API answers at the socket of the state folder."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(self.state / "admin.sock"))
            connection.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            reply = b"".join(iter(lambda: connection.recv(65536), b""))
        return reply.partition(b"\r\n\r\n")[2].decode()

    def person(self, name=None, **described):
        """A person with a key; `described` is their machine's description."""
        person = Person(name or f"person{next(self._numbers)}", self._verdicts)
        person.register(self.channel, self.run("enrol", person.name), **described)
        return person

    def visit(self):
        """A visitor who sends arbitrary requests."""
        return Visitor(NAME, ADDRESS, CONSOLE, self.authority)

    def signed_in(self, role):
        """A visitor with a session."""
        visitor = self.visit()
        visitor.post("/console/sign-in", name=role)
        self.people[role].confirm(self.channel, visitor.line("/console/sign-in"))
        visitor.post("/console/sign-in/continue")
        return visitor

    def browser(self, language, width):
        return self._browser(self.console, language, width)

    @property
    def console(self):
        return f"https://{NAME}:{CONSOLE}"

    def login_browser(self, language, width):
        """A browser at the address for logins, which has the page for a new passkey."""
        return self._browser(f"https://{NAME}:{PORT}", language, width)

    def _browser(self, base, language, width):
        browser = Browser(base, language, width, self.authority.with_name("leaf.pem"))
        self._browsers.append(browser)
        return browser
