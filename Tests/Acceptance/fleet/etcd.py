"""Three members of etcd, by which Patroni agrees on who is the primary."""

import json
import platform
import urllib.request

from fleet.programs import Program, folder
from lab.waiting import until

MEMBERS = {f"db{number}": f"127.0.1.{number}" for number in (1, 2, 3)}


class Etcd:
    def __init__(self):
        peers = ",".join(f"{name}=http://{address}:2380" for name, address in MEMBERS.items())
        # Debian's etcd requires this on arm64.
        unusual = {} if platform.machine() == "x86_64" else {"ETCD_UNSUPPORTED_ARCH": "arm64"}
        self.members = {}
        for name, address in MEMBERS.items():
            command = [
                "etcd",
                f"--name={name}",
                f"--data-dir={folder('/srv/etcd') / name}",
                f"--listen-client-urls=http://{address}:2379",
                f"--advertise-client-urls=http://{address}:2379",
                f"--listen-peer-urls=http://{address}:2380",
                f"--initial-advertise-peer-urls=http://{address}:2380",
                f"--initial-cluster={peers}",
                "--initial-cluster-token=fleet",
                "--initial-cluster-state=new",
                "--logger=zap",
                "--log-level=warn",
            ]
            self.members[name] = Program(f"etcd-{name}", command, environment=unusual)

    def up(self):
        for member in self.members.values():
            member.start_if_gone()
        until(lambda: self.leader() and all(self._status(name) for name in MEMBERS), "three members of etcd with a leader")

    def leader(self):
        """The name of the member that leads; None while there is none."""
        for name in MEMBERS:
            status = self._status(name)
            if status and status.get("leader") not in (None, "0") and status["leader"] == status["header"]["member_id"]:
                return name
        return None

    @staticmethod
    def _status(name):
        request = urllib.request.Request(f"http://{MEMBERS[name]}:2379/v3/maintenance/status", b"{}")
        try:
            with urllib.request.urlopen(request, timeout=2) as answer:
                return json.loads(answer.read())
        except OSError:
            return None

    def down(self):
        for member in self.members.values():
            member.stop()
