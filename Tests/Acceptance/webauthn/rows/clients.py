"""Clients of others at uaf-server: PyPI's `fido2` with an authenticator in software, and `soft-webauthn`.

Their programs, in clients/, turn options into responses; the suite carries both between them and the server.
"""

import dataclasses
import json
import subprocess

from lab.table import Skip, must, row
from webauthn.channel import Channel
from webauthn.rigs import BUILT, NAME, PARTIES, SECONDS
from webauthn.rigs.own import UAFServer

FOLDER = PARTIES.parent / "clients"
OTHER = "https://other.example.com"


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    # The folder of build/webauthn with its packages.
    packages: str
    program: str
    # Whether it verifies its user, and compares the origin with the rpId, as a browser does.
    careful: bool


KINDS = (Kind("fido2-client", "small", "by_python_fido2.py", True), Kind("soft-webauthn", "soft", "by_soft_webauthn.py", False))


class Client:
    """A running client. Use as a context."""

    def __init__(self, kind):
        python = BUILT / kind.packages / "bin/python"
        if not python.exists():
            raise Skip(f"{kind.packages} is not in build/webauthn: see scripts/webauthn.sh")
        command = [python, FOLDER / kind.program]
        self._program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # It ends with its input.
        self._program.communicate(timeout=SECONDS)

    def respond(self, do, options, origin, lies=False):
        """The response to options, as JSON; only `error` if the client refuses."""
        assert self._program.stdin and self._program.stdout
        self._program.stdin.write(json.dumps({"do": do, "options": options, "origin": origin, "lies": lies}) + "\n")
        self._program.stdin.flush()
        return json.loads(self._program.stdout.readline())


class Visit:
    """A person with a client at uaf-server."""

    def __init__(self, lab, kind, client, account=None):
        party = lab.party("uaf-server")
        assert isinstance(party, UAFServer)
        self.party, self.client = party, client
        self.channel: Channel = party.client().channel
        self.origin = f"https://{NAME}:{party.port}"
        self.account = account or (lab.account() if kind.careful else party.unverified_account())

    def _offered(self, path, **headers):
        answer = self.channel.post(path, {"username": self.account}, **headers)
        must(answer.status == 200, f"no options: {answer}")
        return {name: value for name, value in answer.json.items() if name not in ("status", "errorMessage")}

    def creation(self):
        return self._offered("/attestation/options", **self.party.enrol(self.account).headers)

    def request(self):
        return self._offered("/assertion/options")

    def make(self, options, origin=None, lies=False):
        return self.client.respond("create", options, origin or self.origin, lies)

    def sign(self, options, origin=None, lies=False):
        return self.client.respond("get", options, origin or self.origin, lies)

    def register(self):
        """Registers a key, which the server must accept."""
        made = self.make(self.creation())
        answer = self.result("attestation", made)
        must(accepted(answer), f"the registration: {answer} {made.get('error', '')}")
        must(answer.json["username"] == self.account, f"{answer}")
        must(self.party.accepted("key", self.account) == 1, "the audit has no key of this person")
        return made

    def result(self, path, response):
        return self.channel.post(f"/{path}/result", response)

    def refused(self, path, response, reason, before):
        """What the server answers, which must be a refusal with this reason that its audit does not count."""
        answer = self.result(path, response)
        must(answer.status == 403 and answer.json.get("reason") == reason, f"{reason} was expected: {answer}")
        what = {"attestation": "key", "assertion": "login"}[path]
        must(self.party.accepted(what, self.account) == before, f"the audit counts it: {answer}")
        return reason


def accepted(answer):
    return answer.status == 200 and answer.json.get("status") == "ok"


def _login(kind):
    def act(lab):
        with Client(kind) as client:
            visit = Visit(lab, kind, client)
            visit.register()
            for number in (1, 2):
                answer = visit.result("assertion", visit.sign(visit.request()))
                must(accepted(answer) and answer.json["username"] == visit.account, str(answer))
                must(answer.json["verdict"].count(".") == 2, f"no signed verdict: {answer}")
                must(visit.party.accepted("login", visit.account) == number, f"the audit does not count login {number}")
        return f"a key and two logins of {visit.account}"

    return act


def _origin(kind):
    def act(lab):
        with Client(kind) as client:
            visit = Visit(lab, kind, client)
            options = visit.creation()
            if kind.careful:
                must("error" in visit.make(options, OTHER), "the client makes a key for another origin")
            new = visit.refused("attestation", visit.make(options, OTHER, lies=True), "other-origin", 0)
        with Client(kind) as client:
            visit = Visit(lab, kind, client)
            visit.register()
            old = visit.refused("assertion", visit.sign(visit.request(), OTHER, lies=True), "other-origin", 0)
            must(accepted(visit.result("assertion", visit.sign(visit.request()))), "a correct login afterwards is refused")
        return f"{new}, {old}"

    return act


def _replay(kind):
    def act(lab):
        with Client(kind) as client:
            visit = Visit(lab, kind, client)
            made = visit.register()
            key = visit.refused("attestation", made, "enrolment-code-used", 1)
            signed = visit.sign(visit.request())
            must(accepted(visit.result("assertion", signed)), "a correct login is refused")
            login = visit.refused("assertion", signed, "unknown-challenge", 1)
        return f"{key}, {login}"

    return act


def _stranger(kind):
    def act(lab):
        with Client(kind) as mine, Client(kind) as theirs:
            one, two = Visit(lab, kind, mine), Visit(lab, kind, theirs)
            one.register()
            made = two.register()
            options = one.request()
            must(made["id"] not in [each["id"] for each in options["allowCredentials"]], "the other key is named")
            # A client that is told of the other key by whoever runs it.
            options["allowCredentials"] = [{"type": "public-key", "id": made["id"]}]
            signed = two.sign(options)
            must("error" not in signed, str(signed))
            return one.refused("assertion", signed, "invalid-signature", 0)

    return act


def _unverified(kind):
    def act(lab):
        with Client(kind) as client:
            visit = Visit(lab, kind, client, account=lab.account())
            return visit.refused("attestation", visit.make(visit.creation()), "user-not-verified", 0)

    return act


def _excluded(kind):
    def act(lab):
        with Client(kind) as client:
            visit = Visit(lab, kind, client)
            visit.register()
            again = visit.make(visit.creation())
            must("error" in again, f"the client makes a second key: {again}")
            must(visit.party.accepted("key", visit.account) == 1, "there is a second key")
        return again["error"]

    return act


def _add(kind):
    name = f"uaf-server-{kind.name}"
    row(f"{name}-login", f"{kind.name}: registers at uaf-server, and logs in twice", "both are accepted", limit=180)(_login(kind))
    row(f"{name}-origin", f"{kind.name}: answers from another origin", "refused, by the client too if it is careful", limit=180)(
        _origin(kind)
    )
    row(f"{name}-replay", f"{kind.name}: each answer is sent again", "refused", limit=180)(_replay(kind))
    row(f"{name}-stranger", f"{kind.name}: signs with the key of another account", "refused", limit=180)(_stranger(kind))
    if kind.careful:
        row(f"{name}-excluded", f"{kind.name}: a second key of one authenticator", "the client makes none", limit=180)(
            _excluded(kind)
        )
    else:
        row(f"{name}-unverified", f"{kind.name}: a key without user verification, which is required", "refused", limit=180)(
            _unverified(kind)
        )


for _kind in KINDS:
    _add(_kind)
