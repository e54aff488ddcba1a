"""An eavesdropper between client and server. It keeps what a login would have sent, so that an attacker can send it."""

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
        """The response as it is sent, with the changed `parameters` if they were changed."""
        if self.is_changed:
            self.message[0]["fcParams"] = encode(json.dumps(self.parameters).encode())
        return json.dumps({"uafResponse": json.dumps(self.message), "context": json.dumps(self.context)}).encode()

    def challenge(self, request):
        """Makes the response the answer to a different request of the server."""
        self.header["serverData"] = request["header"]["serverData"]
        self.parameters["challenge"] = request["challenge"]
        self.is_changed = True


class Recorder:
    """A proxy with the server's own certificate that withholds each answer. Later logins connect to it."""

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
        """What a login of this person would have sent to the server."""
        login = self._lab.login(person, person.passcode, service)
        if login.is_in or not self.bodies:
            raise RuntimeError(f"nothing was recorded: {login}")
        return self.bodies.pop()


class Passage:
    """A proxy with the server's own certificate that forwards everything and records the requests.

    The AppID is the proxy's address, so that the client fetches the list of facets here, too. Later logins connect to it.
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
    """Sends an answer to the server; returns the server's status code."""
    status, said = forger.ask("/uaf/respond", body, port)
    return json.loads(said)["statusCode"] if status == 200 else status


def request(context, op="Auth", port=machine.PORT):
    """Asks the server for a request; returns the UAF 1.1 message, or the status code if there is no message."""
    body = json.dumps({"op": op, "context": json.dumps(context)})
    said = json.loads(forger.ask("/uaf/get", body, port)[1])
    return json.loads(said["uafRequest"])[-1] if "uafRequest" in said else said["statusCode"]


def enrolment_code(name, folder="/srv/uaf"):
    """A new enrolment code for a person."""
    said = subprocess.run(["uaf-server", "enrol", name, "--state", folder], capture_output=True, text=True, check=True).stdout
    return json.loads(decode(said.split()[0]))["authCode"]


class ServerLog:
    """What a server has logged since this object was created."""

    def __init__(self, port=machine.PORT):
        self._path = pathlib.Path(f"/tmp/server-{port}.log")
        self._start = self._path.stat().st_size

    def lines(self):
        with self._path.open("rb") as file:
            file.seek(self._start)
            return file.read().decode(errors="backslashreplace").splitlines()

    def reasons(self):
        """The reasons for which answers and requests were refused, in order."""
        fields = [dict(part.split("=", 1) for part in line.split() if "=" in part) for line in self.lines()]
        return [entry["reason"] for entry in fields if entry.get("msg") == "refused"]
