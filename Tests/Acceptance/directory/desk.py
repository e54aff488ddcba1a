"""A uaf-server, and a directory of people, on one machine."""

import dataclasses
import json
import pathlib
import shutil
import subprocess

from directory.slapd import ADDRESS, GROUPS, NAME, PASSWORDS, PEOPLE, READER, TLS, Directory, entry, person
from fleet import certificates
from fleet.programs import USER, Program, as_user, folder
from lab import loopback
from lab.waiting import until

SERVER, PORT = "127.0.0.1", 8443
COUNT = 200
FAMILIES, FIRST, SECOND = "김이박최정강조윤장임", "민서지현수영하도예준", "우연진호아윤희성빈결"


def shown(number):
    """A Korean name, a different one for each of 1,000 numbers."""
    return FAMILIES[number % 10] + FIRST[number // 10 % 10] + SECOND[number // 100 % 10]


def named(number):
    return f"p{number:03}"


def people(count=COUNT):
    """People in two departments; every tenth is in a group."""
    entries = [
        person(named(number), shown(number), mail=f"{named(number)}@example.org", ou=("연구소", "영업부")[number % 2])
        for number in range(count)
    ]
    members = [f"uid={named(number)},{PEOPLE}" for number in range(0, count, 10)]
    return [*entries, entry(f"cn=책임자,{GROUPS}", "groupOfNames", cn="책임자", member=members)]


@dataclasses.dataclass
class Run:
    """What a run of `sync ldap` printed, and its exit status."""

    status: int
    steps: list
    notes: str

    def names(self, action):
        return sorted(step["account"] for step in self.steps if step["step"] == action)


class Desk:
    """Use as a context. lab.run requires `tidy` and `thorough`."""

    thorough = False
    directory: Directory
    program: Program

    def __enter__(self):
        loopback.up()
        if subprocess.run(["id", USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", "--system", "--user-group", "--home-dir", "/srv", USER], check=True)
        with pathlib.Path("/etc/hosts").open("a") as file:
            file.write(f"{ADDRESS} {NAME} alias.example.org\n")
        folder("/srv", 0o755)
        files, self.strangers = folder("/srv/certificates", 0o755), folder("/srv/strangers", 0o755)
        certificates.make(files, [NAME])
        certificates.make(self.strangers, [NAME])
        self.directory = Directory(files)
        self.state = pathlib.Path("/srv/state")
        return self

    def __exit__(self, *_):
        self.tidy()

    def tidy(self):
        self.directory.program.stop()
        if hasattr(self, "program"):
            self.program.stop()

    def begin(self, entries=None):
        """A directory with these people, or 200, and a server without anybody."""
        self.tidy()
        shutil.rmtree(self.state, ignore_errors=True)
        folder(self.state)
        self.directory.write_again(people() if entries is None else entries)
        command = ["uaf-server", "serve", "--development", "--state", self.state, "--listen", f"{SERVER}:{PORT}"]
        self.program = Program("uaf-server", command)
        self.program.start()
        until(lambda: self.users() is not None, f"the server: {self.program.told()[-400:]}")

    def settings(self, **changes):
        """Writes the settings of the directory, and the password; returns the settings' path."""
        bind = changes.get("bindDN", READER)
        secret = pathlib.Path("/root/ldap.password")
        secret.unlink(missing_ok=True)
        secret.touch(0o600)
        secret.write_text(changes.pop("password", PASSWORDS.get(bind, "")) + "\n")
        settings = {
            "source": "corp",
            "url": f"ldaps://{NAME}:{TLS}",
            "authorities": str(self.directory.authority),
            "bindDN": READER,
            "passwordFile": str(secret),
            "base": PEOPLE,
            "filter": "(objectClass=inetOrgPerson)",
            "pageSize": 30,
            "attributes": {
                "id": "entryUUID",
                "name": "uid",
                "displayName": ["displayName", "cn"],
                "mail": "mail",
                "department": "ou",
            },
            "groups": {"memberOf": "memberOf", "below": GROUPS},
            **changes,
        }
        path = pathlib.Path("/root/directory.json")
        path.write_text(json.dumps(settings))
        path.chmod(0o644)
        return path

    def command(self, *options, **changes):
        """The command of a run by root, through the socket of the server that runs."""
        socket = f"unix:{self.state}/admin.sock"
        return ["uaf-server", "sync", "ldap", "--config", str(self.settings(**changes)), "--api", socket, "--json", *options]

    def sync(self, *options, **changes):
        done = subprocess.run(self.command(*options, **changes), capture_output=True, text=True, timeout=300, check=False)
        return self.run_of(done.returncode, done.stdout, done.stderr)

    @staticmethod
    def run_of(status, output, notes):
        return Run(status, [json.loads(line) for line in output.splitlines() if line.startswith('{"step"')], notes)

    def run(self, *arguments, check=True):
        return as_user("uaf-server", *arguments, "--api", f"unix:{self.state}/admin.sock", check=check).stdout

    def users(self):
        """The accounts by their names; None while the server does not answer."""
        done = as_user("uaf-server", "users", "--json", "--api", f"unix:{self.state}/admin.sock", check=False)
        if done.returncode:
            return None
        return {account["name"]: account for account in map(json.loads, done.stdout.splitlines())}

    def disabled(self):
        return sorted(name for name, account in (self.users() or {}).items() if "block" in account)
