"""The fleet that rows break: cluster, instances, proxy and people. Damage by a row is repaired before the next one."""

import itertools
import pathlib
import sqlite3
import subprocess

from fleet import certificates
from fleet.client import Channel, Later, Person, Verdicts
from fleet.cluster import HOSTS, ROLE, Cluster
from fleet.load import Load
from fleet.programs import USER, folder, write
from fleet.server import NAME, PORT, PROXY, Instance, Proxy, store_options
from lab import loopback
from lab.waiting import until

CERTIFICATES = pathlib.Path("/srv/certificates")
PASSWORDS = "/srv/store.pgpass"
INSTANCES = {"uaf1": "127.0.2.1", "uaf2": "127.0.2.2"}


class Fleet:
    """Use as a context. lab.run requires `tidy` and `thorough`."""

    thorough = False
    cluster: Cluster
    instances: list[Instance]
    proxy: Proxy
    keys: Instance
    verdicts: Verdicts

    def __init__(self):
        self._numbers = itertools.count(1)
        self._tidying = []

    def __enter__(self):
        loopback.up()
        if subprocess.run(["id", USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", "--system", "--user-group", "--home-dir", "/srv", USER], check=True)
        names = {**{name: f"127.0.1.{name[-1]}" for name in HOSTS}, **INSTANCES, "uaf": PROXY}
        with pathlib.Path("/etc/hosts").open("a") as file:
            file.writelines(f"{address} {name}.example.org\n" for name, address in names.items())
        folder("/srv", 0o755)
        folder(CERTIFICATES)
        certificates.make(CERTIFICATES, [NAME, *HOSTS.values()])
        self.cluster = Cluster(CERTIFICATES)
        write(PASSWORDS, f"*:*:*:{ROLE}:{self.cluster.password}\n")
        # This instance only makes the keys that all others share.
        self.keys = Instance("keys", "127.0.2.9", CERTIFICATES, [])
        self.keys.start()
        self.keys.program.stop()
        self.verdicts = Verdicts((self.keys.state / "verdict.pub").read_bytes())
        self.instances = [Instance(name, address, CERTIFICATES, self.store()) for name, address in INSTANCES.items()]
        for instance in self.instances:
            instance.share(self.keys)
        self.proxy = Proxy(self.instances)
        return self

    def __exit__(self, *_):
        self.tidy()
        for instance in self.instances:
            instance.program.stop()
        self.proxy.program.stop()
        self.cluster.down()

    def after(self, action):
        """Registers an action for the end of the row, whatever its result."""
        self._tidying.append(action)

    def tidy(self):
        while self._tidying:
            self._tidying.pop()()

    # --- The start of a row

    @property
    def authority(self):
        return CERTIFICATES / "ca.pem"

    @property
    def certificates(self):
        return CERTIFICATES

    def store(self):
        """The options that name the cluster's store."""
        tls = {"sslmode": "verify-full", "sslrootcert": self.authority, "target_session_attrs": "primary"}
        return store_options([f"{host}:5432" for host in HOSTS.values()], passfile=PASSWORDS, **tls)

    def plain_store(self, place):
        """The options that name a store without TLS."""
        return store_options([place], passfile=PASSWORDS, sslmode="disable")

    @staticmethod
    def sqlite(path, statement):
        """Runs a statement on a SQLite store; returns the rows."""
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10) as database:
            return database.execute(statement).fetchall()

    def health(self, instance):
        """An instance's answer to the proxy's health check; 0 if there is none."""
        channel = self.channel(instance)
        try:
            channel.read("/readyz")
            return 200
        except Later:
            return 503
        finally:
            channel.close()

    def whole(self):
        """Cluster, both instances and the proxy, all running."""
        self.cluster.up()
        for instance in self.instances:
            instance.start()
        self.proxy.up()
        return self

    def channel(self, instance=None):
        """A connection to the proxy, or to one instance."""
        if instance is None:
            return Channel(NAME, PROXY, 443, self.authority)
        return Channel(NAME, instance.address, PORT, self.authority)

    def person(self, instance=None, counts=True):
        """A new person who has registered."""
        instance = instance or self.instances[0]
        person = Person(f"mina{next(self._numbers)}", self.verdicts, counts)
        channel = self.channel(instance)
        # After the previous row, an instance may have no connection to the store yet.
        until(lambda: self._registers(person, channel, instance), "a registration")
        channel.close()
        return person

    @staticmethod
    def _registers(person, channel, instance):
        try:
            channel.read("/uaf/facets")
            person.register(channel, instance.payload(person.name))
        except (Later, RuntimeError):
            return False
        return True

    def people(self, count, instance=None):
        """This many new people; every second one's authenticator has no counter."""
        return [self.person(instance, counts=number % 2 == 0) for number in range(count)]

    def load(self, name, people, instance=None):
        return Load(name, people, lambda: self.channel(instance))
