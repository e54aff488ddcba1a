"""An ear between client and server: what a login would have sent is kept, to be sent by somebody else."""

import base64
import http.client
import json
import pathlib
import ssl
import subprocess

from lab import forger, machine


def decode(text):
    """The bytes of base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Answer:
    """A recorded UAF response that can be changed: `header`, `parameters` (the final challenge's), `context`."""

    def __init__(self, body):
        outer = json.loads(body)
        self.message = json.loads(outer["uafResponse"])
        self.header = self.message[0]["header"]
        self.parameters = json.loads(decode(self.message[0]["fcParams"]))
        self.context = json.loads(outer["context"])
        self.is_changed = False

    def body(self):
        """As it is sent; with other parameters, if `parameters` was changed."""
        if self.is_changed:
            self.message[0]["fcParams"] = encode(json.dumps(self.parameters).encode())
        return json.dumps({"uafResponse": json.dumps(self.message), "context": json.dumps(self.context)}).encode()

    def challenge(self, request):
        """Makes it the answer to another request of the server's."""
        self.header["serverData"] = request["header"]["serverData"]
        self.parameters["challenge"] = request["challenge"]
        self.is_changed = True


class Recorder:
    """Stands between with the server's own certificate, and keeps each answer to itself. Further logins go to it."""

    def __init__(self, lab, folder="/srv/uaf", port=machine.PORT, **settings):
        self._lab, self._port = lab, port
        self._between = forger.Forger(lab, self._reply, shown=(f"{folder}/certificate.pem", f"{folder}/key.pem"))
        self.bodies = []
        lab.configure(port=self._between.port, **settings)

    def _reply(self, request):
        if request.path.endswith("/respond"):
            self.bodies.append(request.body)
            return forger.answer(forger.verdict(1500))
        status, said = forger.ask(request.path, request.body, self._port)
        return forger.answer(said, status=f"{status} as said")

    def record(self, person, service="uaf"):
        """What a login of this person would have told the server."""
        login = self._lab.login(person, person.passcode, service)
        if login.is_in or not self.bodies:
            raise RuntimeError(f"nothing was recorded: {login}")
        return self.bodies.pop()


class Passage:
    """Stands between with the server's own certificate, passes everything on, and keeps what was asked for.

    The AppID is its own address, so that the list of facets is asked for here, too. Further logins go to it.
    """

    def __init__(self, lab):
        between = forger.Forger(lab, self._reply, shown=forger.STOLEN)
        self.asked = []
        self._own, self._servers = (f":{port}/uaf/facets".encode() for port in (between.port, machine.PORT))
        lab.configure(port=between.port)

    def _reply(self, request):
        self.asked.append((request.method, request.path))
        if request.method == "GET":
            return self._pass_list(request.path)
        status, said = forger.ask(request.path, request.body)
        return forger.answer(said.replace(self._servers, self._own), status=f"{status} as said")

    @staticmethod
    def _pass_list(path):
        server = http.client.HTTPSConnection("127.0.0.1", machine.PORT, context=ssl._create_unverified_context())
        server.request("GET", path)
        response = server.getresponse()
        said = forger.answer(response.read(), kind=response.headers["Content-Type"])
        server.close()
        return said


def respond(body, port=machine.PORT):
    """Sends an answer to the server; returns the status code it says."""
    status, said = forger.ask("/uaf/respond", body, port)
    return json.loads(said)["statusCode"] if status == 200 else status


def request(context, op="Auth", port=machine.PORT):
    """Asks the server for a request; returns the UAF 1.1 message, or the status code where there is none."""
    body = json.dumps({"op": op, "context": json.dumps(context)})
    said = json.loads(forger.ask("/uaf/get", body, port)[1])
    return json.loads(said["uafRequest"])[-1] if "uafRequest" in said else said["statusCode"]


def enrolment_code(name, folder="/srv/uaf"):
    """A fresh enrolment code for somebody."""
    said = subprocess.run(["uaf-server", "enrol", name, "--state", folder], capture_output=True, text=True, check=True).stdout
    return json.loads(decode(said.split()[0]))["authCode"]


class ServerLog:
    """What a server has logged since this was made."""

    def __init__(self, port=machine.PORT):
        self._path = pathlib.Path(f"/tmp/server-{port}.log")
        self._start = self._path.stat().st_size

    def lines(self):
        with self._path.open("rb") as file:
            file.seek(self._start)
            return file.read().decode(errors="backslashreplace").splitlines()

    def reasons(self):
        """Why answers and requests were refused, in order."""
        fields = [dict(part.split("=", 1) for part in line.split() if "=" in part) for line in self.lines()]
        return [entry["reason"] for entry in fields if entry.get("msg") == "refused"]
