"""A uaf-server with its console, one administrator of each role, and the browsers that visit it."""

import itertools
import pathlib
import subprocess

from console.browser import Browser
from console.visitor import Visitor
from fleet import certificates
from fleet.client import Channel, Person, Verdicts
from fleet.programs import USER, Program, as_user, folder
from lab import loopback
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
        command = ["uaf-server", "serve", "--state", self.state, "--listen", f"{ADDRESS}:{PORT}"]
        command += ["--admin-listen", f"{ADDRESS}:{CONSOLE}", "--public-url", f"https://{NAME}:{PORT}"]
        command += ["--certificate", files / "leaf.pem", "--key", files / "leaf.key"]
        command += ["--account-rate", "0", "--address-rate", "0", "--address-connections", "0"]
        self.program = Program("console", command)
        self.program.start()
        self.visitor = Visitor(NAME, ADDRESS, CONSOLE, self.authority)
        until(self.visitor.is_answered, f"the console: {self.program.told()[-400:]}")
        self._channel = Channel(NAME, ADDRESS, PORT, self.authority)
        self._verdicts = Verdicts((self.state / "verdict.pub").read_bytes())
        self.people = {role: self.person(role) for role in ROLES}
        for role in ROLES:
            self.run("admin", "add", role, role)
        return self

    def __exit__(self, *_):
        self.tidy()
        self.program.stop()

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
        browser = Browser(f"https://{NAME}:{CONSOLE}", language, width)
        self._browsers.append(browser)
        return browser
