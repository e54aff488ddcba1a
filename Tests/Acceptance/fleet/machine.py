"""The fleet that rows break: cluster, instances, proxy and people. What a row has broken is whole before the next one."""

import itertools
import pathlib
import subprocess

from fleet import certificates
from fleet.client import Channel, Person, Verdicts
from fleet.cluster import HOSTS, Cluster
from fleet.load import Load
from fleet.programs import USER, folder, write
from fleet.server import NAME, PORT, PROXY, Instance, Proxy, store_url
from lab import loopback

CERTIFICATES = pathlib.Path("/srv/certificates")
INSTANCES = {"uaf1": "127.0.2.1", "uaf2": "127.0.2.2"}


class Fleet:
    """Use as a context. `tidy` and `thorough` are what lab.run asks of a lab."""

    thorough = False

    def __init__(self):
        self._numbers = itertools.count(1)
        self._tidying = []
        self.cluster = self.instances = self.proxy = self.verdicts = None

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
        self.password_file = write("/srv/store.password", self.cluster.password + "\n")
        return self

    def __exit__(self, *_):
        self.tidy()
        for instance in self.instances or ():
            instance.program.stop()
        if self.proxy:
            self.proxy.program.stop()
        self.cluster.down()

    def after(self, action):
        """Has something done when the row has ended, however it ends."""
        self._tidying.append(action)

    def tidy(self):
        while self._tidying:
            self._tidying.pop()()

    # --- What rows begin with

    @property
    def authority(self):
        return CERTIFICATES / "ca.pem"

    def store(self, **more):
        """The options that name the store."""
        return ["--store", store_url(self.authority, **more), "--store-password-file", self.password_file]

    def whole(self):
        """Cluster, both instances and the proxy, all running."""
        self.cluster.up()
        if self.instances is None:
            self.instances = [Instance(name, address, CERTIFICATES, self.store()) for name, address in INSTANCES.items()]
            self.instances[0].start()
            self.instances[1].share(self.instances[0])
            self.proxy = Proxy(self.instances)
            self.verdicts = Verdicts((self.instances[0].state / "verdict.pub").read_bytes())
        for instance in self.instances:
            instance.start()
        self.proxy.up()
        return self

    def channel(self, instance=None):
        """A connection to the proxy, or to one instance."""
        if instance is None:
            return Channel(NAME, PROXY, 443, self.authority)
        return Channel(NAME, instance.address, PORT, self.authority)

    def person(self, instance=None, verdicts=None):
        """Somebody new, who has registered."""
        instance = instance or self.instances[0]
        person = Person(f"mina{next(self._numbers)}", verdicts or self.verdicts)
        channel = self.channel(instance)
        channel.read("/uaf/facets")
        person.register(channel, instance.payload(person.name))
        channel.close()
        return person

    def people(self, count, instance=None):
        return [self.person(instance) for _ in range(count)]

    def load(self, name, people):
        return Load(name, people, self.channel)
