"""A uaf-server with its administration over TLS, on SQLite or on PostgreSQL, and the tokens of provisioning programs."""

import contextlib
import http.client
import itertools
import json
import os
import ssl
import subprocess

from fleet.programs import USER, Program, as_user, folder
from lab import loopback
from lab.machine import ROOT
from lab.table import Skip, must
from lab.waiting import until

NAME, PREFIX = "localhost", "/scim/v2"
USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User"
ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group"
PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class Desk:
    """Use as a context. lab.run requires `tidy` and `thorough`."""

    thorough = False

    def __init__(self):
        self._servers = {}
        self._open = contextlib.ExitStack()

    def __enter__(self):
        loopback.up()
        if subprocess.run(["id", USER], capture_output=True, check=False).returncode:
            subprocess.run(["useradd", "--system", "--user-group", "--home-dir", "/srv", USER], check=True)
        folder("/srv", 0o755)
        return self

    def __exit__(self, *_):
        for server in self._servers.values():
            server.program.stop()
        self._open.close()

    def tidy(self):
        """Does nothing: the servers keep running, and each row has a token and names of its own."""

    def server(self, engine="sqlite"):
        """The server with a store of this engine, which is started when the first row asks for it."""
        if engine not in self._servers:
            store = [] if engine == "sqlite" else ["--store", self._cluster()]
            self._servers[engine] = Server(engine, 8450 + 10 * len(self._servers), store)
        return self._servers[engine]

    def _cluster(self):
        """The URL of a new PostgreSQL, which ends with the desk."""
        command = [str(ROOT / "scripts/postgresql.sh"), "run"]
        running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # Closes its standard input, at which it ends, and waits.
        self._open.callback(running.communicate)
        place = running.stdout.readline().strip() if running.stdout else ""
        if not place:
            raise Skip("no PostgreSQL could be started here: see scripts/postgresql.sh")
        # Its socket is there, and the server is another user.
        os.chmod(place, 0o755)
        return f"postgresql://postgres@/postgres?host={place}"


class Server:
    def __init__(self, engine, port, store):
        self.engine, self.port = engine, port + 1
        self.state = folder(f"/srv/provisioning-{engine}")
        self._store = store
        self._numbers = itertools.count(1)
        command = ["uaf-server", "serve", "--state", self.state, *store, "--development"]
        command += ["--listen", f"127.0.0.1:{port}", "--admin-listen", f"127.0.0.1:{self.port}"]
        self.program = Program(f"provisioning-{engine}", command)
        self.program.start()
        until(lambda: "msg=administration" in self.program.told() or not self.program.runs, "the server")
        must(self.program.runs, f"the server has ended: {self.program.told()[-400:]}")
        self.authority = self.state / "ca.pem"

    def run(self, *arguments, check=True):
        """Runs a command of uaf-server at the store."""
        return as_user("uaf-server", *arguments, "--state", self.state, *self._store, check=check)

    def told(self, *arguments):
        """The JSON lines that a command prints."""
        return [json.loads(line) for line in self.run(*arguments, "--json").stdout.splitlines()]

    def token(self, role="provisioning"):
        """A new token, as an administrator at the server makes it."""
        name = f"{role}{next(self._numbers)}"
        return name, self.run("token", "create", name, "--role", role).stdout.strip()

    def client(self):
        """A provisioning program with a token of its own."""
        name, token = self.token()
        return Client(self, name, token)

    def account(self, name):
        """What the server's own commands show of an account."""
        return self.told("person", name)[0]

    def audit(self, client):
        """The kinds of the audit's rows that a program has caused."""
        rows = self.told("audit", "list", "--limit", "100000")
        return [row["kind"] for row in rows if row["actor"] == f"token {client.name}"]


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        return self.body[name]


class Client:
    """Sends requests as they are recorded, over TLS."""

    def __init__(self, server, name, token):
        self.server, self.name, self.token = server, name, token

    @property
    def base(self):
        return f"https://{NAME}:{self.server.port}{PREFIX}"

    def ask(self, method, path, body=None, status=None, kind="application/scim+json", headers=()):
        """The answer to a request; Broken if it has a different status."""
        trust = ssl.create_default_context(cafile=str(self.server.authority))
        connection = http.client.HTTPSConnection(NAME, self.server.port, timeout=60, context=trust)
        fields = {"Authorization": f"Bearer {self.token}", "Accept": "application/scim+json", **dict(headers)}
        text = None
        if body is not None:
            fields["Content-Type"] = kind
            text = json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, PREFIX + path, text, fields)
            reply = connection.getresponse()
            content = reply.read()
        answer = Answer(reply.status, reply.headers, json.loads(content) if content else {})
        if status is not None:
            must(answer.status == status, f"{method} {path}: {answer.status} instead of {status}: {content.decode()[:300]}")
        return answer

    def patch(self, path, *operations, status=200, kind="application/scim+json"):
        """Sends a PATCH; each operation is (op, path or None, value or None)."""
        written = []
        for name, where, value in operations:
            operation = {"op": name}
            if where is not None:
                operation["path"] = where
            if value is not None:
                operation["value"] = value
            written.append(operation)
        return self.ask("PATCH", path, {"schemas": [PATCH_SCHEMA], "Operations": written}, status, kind)


def values(answer):
    """The ids of the members of a group."""
    return sorted(member["value"] for member in answer["members"])


def quoted(text):
    """A filter or a value in the form of a URL, as most programs write it."""
    return "".join(
        character if character.isalnum() else "".join(f"%{byte:02X}" for byte in character.encode()) for character in text
    )


# Each dialect is tried on both engines.
ENGINES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
