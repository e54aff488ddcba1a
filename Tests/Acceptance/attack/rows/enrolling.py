"""Forged enrolment codes, and forged server confirmations by an attacker who controls the network program."""

import json
import pathlib

from attack import wire
from attack.recorder import decode, encode, enrolment_code, request
from lab import forger, hosts
from lab.listener import serve
from lab.table import must, row

SIGNED = 'require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"'
BOTH = '["passcode", "pattern"]'
NEW, PATTERN = "stolen-kite-77", "147896"


class Liar:
    """Accepts everything for an account, as an attacker who controls uaf-fetch can; has no key of the real server."""

    def __init__(self, lab, person):
        # What a real registration looks like, with a different person's code.
        context = {"username": "mallory", **wire.by_code(enrolment_code("mallory"), "mallory")}
        self._message = request(context, "Reg")
        if not isinstance(self._message, dict):
            raise RuntimeError(f"the real server has no registration to copy: {self._message}")
        self._models = sorted({each["aaid"][0] for way in self._message["policy"]["accepted"] for each in way})
        self._name = person.name
        self.yes = 0
        self._server = forger.Forger(lab, self._reply)
        self.port = self._server.port

    def _reply(self, heard):
        if heard.path.endswith("/respond"):
            self.yes += 1
            return forger.answer(forger.verdict(1200))
        operation = forger.member(heard.body, "op")
        context = forger.member(heard.body, "context")
        return forger.answer(
            json.dumps(
                {
                    "statusCode": 1200,
                    "op": operation,
                    "lifetimeMillis": 60000,
                    "uafRequest": json.dumps([self._question(operation, context)]),
                }
            )
        )

    def _question(self, operation, text):
        context = json.loads(text)
        header = {**self._message["header"], "op": operation}
        if operation == "Dereg":
            named = context.get("deregisterAAID") or ""
            return {
                "header": header,
                "authenticators": [{"aaid": model, "keyID": ""} for model in self._models if not named or model == named],
            }
        # The request accepts each AAID by itself.
        policy = {"accepted": [[{"aaid": [model]}] for model in self._models]}
        question = {"header": header, "challenge": self._challenge(operation, text), "policy": policy}
        return {**question, "username": self._name} if operation == "Reg" else question

    @staticmethod
    def _challenge(operation, text):
        """A challenge with a binding that fits the request: everything that it covers is in the request."""
        context = json.loads(text)
        if operation == "Reg":
            return wire.challenge(4 if "proof" in context else 3, text)
        return wire.challenge({"Reg": 5, "Dereg": 7}.get(context.get("proofFor"), 1), text)


def made_up(lab, person, port):
    """A file with an enrolment payload that no server issued."""
    payload = json.loads(decode(pathlib.Path(lab.payload(person)).read_text().split()[0]))
    payload |= {"server": f"https://127.0.0.1:{port}", "authCode": wire.MADE_UP}
    payload.pop("ca", None)
    path = pathlib.Path(f"/tmp/made-up-{person.name}")
    path.write_text(encode(json.dumps(payload).encode()) + "\n")
    path.chmod(0o644)
    return path


def as_person(lab, person, *arguments, answers=""):
    return lab.run(
        "uafctl",
        *arguments,
        answers=answers,
        check=False,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "HOME": "/"},
    )


@row(
    "A50",
    "an attacker who controls uaf-fetch accepts any code: at the prompt of su, and with uafctl in the person's session",
    "an account in use gets no value and loses none without a success that the server has signed",
    causes=("a local user", "the server"),
)
def codes_of_nobody(lab):
    person, caller = lab.person(), lab.person(registered=False)
    serve(lab)
    hosts.ask_uaf(lab, "su", "instead")
    liar = Liar(lab, person)
    payload = made_up(lab, person, liar.port)
    again = "[prompt]\noffer_reset = true"
    seen = []

    def is_taken(what, **settings):
        """Whether the core accepts the attacker's value, or no longer accepts the person's own."""
        lab.configure(port=liar.port, authenticators=BOTH)
        taken = [value for value in (NEW, PATTERN) if lab.login(person, value).is_in]
        must(not taken, f"{what}: in with a value of the attacker's")
        must(lab.login(person, person.passcode).is_in, f"{what}: the person's own value is gone")
        seen.append(what)

    for what, server in (("no signed yes", ""), ("a signed yes", SIGNED)):
        lab.configure(port=liar.port, server=server, more=again)
        session = hosts.su(caller, person, "2", "AAAA-BBBB", NEW, NEW)
        must(not session.is_in, f"su, {what}: let in: {session}")
        is_taken(f"registered again at su, {what}")
        lab.configure(port=liar.port, server=server, authenticators=BOTH)
        second = as_person(lab, person, "register", "pattern", "--payload", payload, answers=f"{PATTERN}\n{PATTERN}\n")
        must(second.returncode != 0, f"a pattern was registered, {what}: {second.stdout}")
        is_taken(f"a second authenticator, {what}")
        forgotten = as_person(lab, person, "register", "passcode", "--payload", payload, answers=f"{NEW}\n{NEW}\n")
        must(forgotten.returncode != 0, f"a passcode was set by a code, {what}: {forgotten.stdout}")
        is_taken(f"a new value in place of the forgotten one, {what}")
        lab.configure(port=liar.port, server=server)
        if not server:
            reset = as_person(lab, person, "reset", "--payload", payload)
            must(reset.returncode != 0 and "have root run" in reset.stdout, f"reset, {what}: {reset.stdout}")
            is_taken(f"reset, {what}")
    must(liar.yes > 0, "the liar was never believed by anybody: nothing is shown")
    return f"{len(seen)} ways refused ({'; '.join(seen)}); the person's own passcode went on"
