"""Three PostgreSQL nodes under Patroni, as examples/uaf-server-patroni.yml sets them up."""

import contextlib
import os
import pathlib
import re
import secrets
import shutil
import signal
import urllib.error
import urllib.request

from fleet.etcd import MEMBERS, Etcd
from fleet.programs import Program, as_user, descendants, folder, write
from lab.machine import ROOT
from lab.waiting import until

EXAMPLE = ROOT / "examples/uaf-server-patroni.yml"
HOME = pathlib.Path("/srv/postgresql")
HOSTS = {name: f"{name}.example.org" for name in MEMBERS}
ROLE, DATABASE = "uaf_server", "uaf"


def programs_of_postgresql():
    """The folder of the newest installed PostgreSQL."""
    return max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))


class Node:
    """A machine with Patroni and its PostgreSQL."""

    def __init__(self, name, passwords, certificates):
        self.name, self.address = name, MEMBERS[name]
        self.home = folder(HOME / name)
        shutil.copy(certificates / "leaf.pem", self.home / "certificate.pem")
        write(self.home / "key.pem", (certificates / "leaf.key").read_text())
        self.patroni = Program(f"patroni-{name}", ["/usr/bin/patroni", self._configuration(passwords)], self.home)

    def _configuration(self, passwords):
        text = EXAMPLE.read_text().replace("192.0.2.11:", f"{self.address}:").replace("name: db1", f"name: {self.name}")
        text = re.sub(r"connect_address: db1\b", f"connect_address: {self.name}", text)
        for user, password in passwords.items():
            text = text.replace(f"PASSWORD-OF-{user.upper()}", password)
        # Here one machine plays all three nodes, and PostgreSQL runs as a user other than `postgres`.
        for told, here in {
            "/var/lib/postgresql/uaf.pgpass": self.home / "pgpass",
            "/var/lib/postgresql/uaf": self.data,
            "/usr/lib/postgresql/15/bin": programs_of_postgresql(),
            "/etc/patroni/": f"{self.home}/",
            "/var/run/postgresql": self.home,
            # Connections over loopback come from this address.
            "192.0.2.8/29": "127.0.0.1/32",
            "192.0.2.16/29": "127.0.0.1/32",
            "local all postgres peer": "local all postgres trust",
            "auth-local: peer": "auth-local: trust",
        }.items():
            text = text.replace(str(told), str(here))
        # Small, since three nodes share a machine.
        small = (
            "    ssl: on\n    shared_buffers: 32MB\n    max_wal_size: 128MB\n    min_wal_size: 48MB\n    wal_keep_size: 64MB\n"
        )
        return write(self.home / "patroni.yml", text.replace('    ssl: "on"\n', small))

    @property
    def data(self):
        return self.home / "data"

    @property
    def postmaster(self):
        """The process ID of the node's PostgreSQL."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill_postgres(self):
        """Kills the node's PostgreSQL."""
        os.kill(self.postmaster, signal.SIGKILL)

    def freeze_postgres(self):
        """Stops every process of the node's PostgreSQL."""
        self._signal_all(signal.SIGSTOP)

    def thaw_postgres(self):
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number):
        for process in descendants(self.postmaster):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def is_(self, what):
        """Whether the node's Patroni reports this role: primary, replica, synchronous."""
        try:
            with urllib.request.urlopen(f"http://{self.address}:8008/{what}", timeout=2):
                return True
        except (OSError, urllib.error.URLError):
            return False

    def sql(self, statement, database=DATABASE, user="postgres", seconds=60):
        """Runs a statement through the node's socket; returns the rows, each a list of texts."""
        command = [programs_of_postgresql() / "psql", "-X", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", self.home, "-p", "5432", "-U", user, "-d", database, "-c", statement]
        return [line.split("\t") for line in as_user(*command, seconds=seconds).stdout.splitlines()]

    def stop(self):
        self.patroni.stop()
        # PostgreSQL runs in its own session, so killing Patroni's does not end it.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            self.kill_postgres()


class Cluster:
    """The three nodes, their etcd, and uaf-server's database."""

    def __init__(self, certificates):
        self.etcd = Etcd()
        passwords = {name: secrets.token_urlsafe(16) for name in ("postgres", "replicator")}
        self.password = secrets.token_urlsafe(16)
        self.nodes = {name: Node(name, passwords, certificates) for name in MEMBERS}
        self._has_database = False

    def up(self):
        """Starts stopped programs, and waits until a primary has two standbys, one of them synchronous."""
        self.etcd.up()
        for node in self.nodes.values():
            node.patroni.start_if_gone()
        until(self._is_whole, "a primary, a synchronous standby and another one", 120)
        if not self._has_database:
            primary = self.primary()
            primary.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{self.password}'", "postgres")
            primary.sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE}", "postgres")
            self._has_database = True

    def _is_whole(self):
        primary = self.primary()
        if not primary or sum(node.is_("synchronous") for node in self.nodes.values()) != 1:
            return False
        states = primary.sql("SELECT state, sync_state FROM pg_stat_replication", "postgres")
        return sorted(states) == [["streaming", "async"], ["streaming", "sync"]]

    def primary(self):
        """The node whose Patroni holds the primary's lock; None while there is none."""
        return next((node for node in self.nodes.values() if node.is_("primary")), None)

    def standbys(self):
        """The other nodes."""
        primary = self.primary()
        return [node for node in self.nodes.values() if node is not primary]

    def down(self):
        for node in self.nodes.values():
            node.stop()
        self.etcd.down()
