"""First registrations watched by an attacker who controls uaf-fetch: the code, the key, and the machine it is listed for."""

import base64
import dataclasses
import hashlib
import json
import re

from attack import wire
from attack.recorder import decode, encode
from attack.relay import Relay
from attack.rows.enrolling import SIGNED
from attack.signing import SERVER
from attack.thief import Thief, keys, part, refusal
from fleet.workstation import Workstation
from lab.machine import PORT
from lab.table import must, row

# The AAID (TAG_AAID's value) of the authenticator type that nobody asked for.
OTHER_MODEL = b"5541#0002"
# This many consecutive characters of a code do not occur by chance.
TELLING = 6


def register(lab, person, payload=None):
    """Root's first registration for a person; returns uafctl's output."""
    answers = f"{person.passcode}\n{person.passcode}\n"
    payload = payload or lab.payload(person)
    return lab.run("uafctl", "register", person.name, "--payload", payload, answers=answers, check=False)


def with_code(*command):
    def act(lab, person):
        return lab.run("uafctl", *command, person.name, "--payload", lab.payload(person), check=False)

    return act


# How a person uses a code, and whether they have registered before.
USES_OF_A_CODE = {
    "a first registration": (register, False),
    "a reset": (with_code("reset", "--deregister"), True),
    "a removal": (with_code("deregister"), True),
}


class CodeReader:
    """Registers the thief's key with each code that passes, and lets the person's registration continue with a proof by that
    key."""

    def __init__(self, thief):
        self._thief, self.tried = thief, []

    def __call__(self, asked):
        right = wire.right_in(asked.context) if asked.is_question else {}
        if not right:
            return asked
        self.tried.append(refusal(self._thief.take_key, self._thief.channel, **right))
        if self.tried[-1]:
            return asked
        return asked.about(**{**wire.WITHOUT_RIGHTS, **wire.by_proof(self._thief.proves(asked.operation))})


@row(
    "A89",
    "an attacker who controls uaf-fetch reads what a first registration, a reset or a removal reveals about its code, "
    "registers its own key with it, and lets the person continue with a proof of that key",
    "the server has no key of the attacker; if the machine reports a registration, only its own key is there",
    causes=("the network",),
)
def code_used_first(lab):
    lab.configure(server=SIGNED)
    relay, seen, broken = Relay(lab), [], []
    for what, (act, is_registered) in USES_OF_A_CODE.items():
        person = lab.person(registered=is_registered)
        thief = Thief(person.name)
        reader = CodeReader(thief)
        with relay.doing(reader):
            said = act(lab, person)
        must(any(asked.is_question for asked in relay.asked), f"{what}: nothing was asked: {said.stdout}")
        read = f"by what the question says {reader.tried[0] or 'REGISTERED'}" if reader.tried else "nothing to be read"
        seen.append(f"{what}: {read}, the machine says {said.stdout.strip().splitlines()[-1]!r}")
        if thief.has_key or thief.gets_in:
            broken.append(what)
        elif not is_registered:
            alone(lab, person, said.returncode == 0, relay)
    must(not broken, f"the attacker's key is registered: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


def alone(lab, person, is_registered, relay):
    """Checks that the server has this machine's key, or no key if the machine does not report a registration."""
    made = {part(asked.answer(), wire.KEY_ID).hex() for asked in relay.asked if asked.is_answer and asked.operation == "Reg"}
    expected = made if is_registered else set()
    must(set(keys(person.name)) == expected, f"the machine has made {made} and the server has {set(keys(person.name))}")
    must(lab.login(person, person.passcode).is_in == is_registered, "the machine does not say what holds")


def at_answer(change):
    """The relay's hooks that change the answer of a registration."""
    return {"on_request": lambda asked: change(asked) if asked.is_answer and asked.operation == "Reg" else asked}


def key_exchanged(thief):
    return at_answer(thief.in_place_of)


def answered_first(thief):
    """The attacker answers the person's request with its own key before the core receives it."""

    def on_answer(asked, said):
        if asked.is_question and asked.operation == "Reg" and "uafRequest" in said.document:
            refusal(thief.take_request, wire.requests_in(said.document)[-1], asked.context)
        return said

    return {"on_answer": on_answer}


def with_part(tag, value):
    def change(asked):
        answer = asked.answer()
        envelope = answer.message[0]["assertions"][0]
        envelope["assertion"] = encode(decode(envelope["assertion"]).replace(part(answer, tag), value))
        return asked.says(answer.body())

    return lambda thief: at_answer(change)


EXCHANGES = {
    "the attacker's key in its place": key_exchanged,
    "the attacker's answer before it": answered_first,
    "another KeyID": with_part(wire.KEY_ID, b"K" * 32),
    "another AAID": with_part(wire.AAID, OTHER_MODEL),
}


@row(
    "A90",
    "an attacker who controls uaf-fetch exchanges the key, KeyID or AAID of a first registration, or responds to its "
    "request first",
    "the server has no key of the attacker; if the machine reports a registration, only its own key is there",
    causes=("the network",),
)
def rebound(lab):
    lab.configure(server=SIGNED)
    relay, seen, broken = Relay(lab), [], []
    for what, exchange in EXCHANGES.items():
        person = lab.person(registered=False)
        thief = Thief(person.name)
        with relay.doing(**exchange(thief)):
            said = register(lab, person)
        if thief.has_key:
            broken.append(f"{what} ({'the machine says registered' if said.returncode == 0 else 'the machine is refused'})")
        else:
            alone(lab, person, said.returncode == 0, relay)
        seen.append(f"{what}: exit status {said.returncode}")
    must(not broken, f"the attacker's key is registered: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


NAME = "ceo-laptop"


@row(
    "A91",
    "a registration under the device id and the name of a joined machine: with a changed request, and with an "
    "authenticator in software",
    "the server counts no key for that machine, and lists none under its name",
    causes=("the network", "the person"),
)
def under_anothers_name(lab):
    lab.configure(server=SIGNED)
    relay, machine = Relay(lab), Workstation(NAME)
    url = f"https://127.0.0.1:{PORT}"
    made = lab.run("uaf-server", "join-code", "create", "--server", url, "--state", SERVER).stdout
    lines = [line for line in made.splitlines() if re.fullmatch(r"[A-Za-z0-9_-]{100,}", line)]
    must(lines, f"no join code: {made[-300:]}")
    claimed = {"deviceID": machine.device, "deviceName": NAME}
    person, mallory = lab.person(registered=False), lab.person(registered=False)
    thief = Thief(mallory.name)
    machine.join(thief.channel, lines[0])

    def on_request(asked):
        return asked.about(**claimed) if asked.is_question or asked.is_answer else asked

    with relay.doing(on_request=on_request):
        said = register(lab, person)
    payload = lab.payload(mallory)
    with open(payload, encoding="ascii") as line:
        by_hand = refusal(thief.register, thief.channel, line.read().split()[0], **claimed)
    counted = [entry for entry in listed(lab, "machines") if entry.get("device") == machine.device]
    must(len(counted) == 1, f"the machine is not listed: {counted}")
    names = {name: [entry.get("name") for entry in listed(lab, "devices", name)] for name in (person.name, mallory.name)}
    told = f"by a changed request: exit status {said.returncode}, by hand: {by_hand or 'registered'}; listed as {names}"
    must(counted[0]["keys"] == 0 and counted[0]["people"] == 0, f"{NAME} has {counted[0]['keys']} keys: {told}")
    must(not any(NAME in called for called in names.values()), f"a key is listed as {NAME}: {told}")
    return told


def listed(lab, *command):
    """The output of a list command of the server."""
    said = lab.run("uaf-server", *command, "--state", SERVER, "--json").stdout
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


def traces(code):
    """Everything that would reveal a code or let it be guessed, by description."""
    plain = re.sub(r"[^A-Za-z0-9]", "", code)
    found = {}
    for form, text in (("the code", code.encode()), ("the code without hyphens", plain.encode())):
        starts = range(len(text) - TELLING + 1)
        found |= {f"{form}, from {start}": text[start : start + TELLING] for start in starts}
        found |= {
            f"{form} in hexadecimal digits": text.hex().encode(),
            # These base64 characters are the same whatever precedes them.
            **{f"{form} in base64, {lead}": middle(bytes(lead) + text) for lead in range(3)},
        }
        digest = hashlib.sha256(text).digest()
        found |= {
            f"the hash of {form}": digest,
            f"the hash of {form} in hexadecimal digits": digest.hex().encode(),
            f"the hash of {form} in base64url": encode(digest).encode(),
        }
    return found


def middle(data):
    """The base64 characters that depend on no byte before or after the code; letters and digits are the same in base64url."""
    return base64.b64encode(data)[4:-4]


def says(status=200, **members):
    """Answers every request only with this, as a server of a different vendor or version might."""

    def on_answer(asked, said):
        return dataclasses.replace(said, status=status, body=json.dumps(members).encode()) if asked.is_question else said

    return on_answer


def strange_challenge(asked, said):
    """The request has a challenge that our server would not make."""
    if not asked.is_question:
        return said
    request = {**wire.requests_in(said.document)[-1], "challenge": encode(b"a challenge of 32 random bytes..")}
    return said.with_members(uafRequest=json.dumps([request]))


# The forged server answers that should make a client retry in a different way.
PROVOCATIONS = {
    "as it is": None,
    "a member that it does not know": says(statusCode=1400),
    "no right to ask": says(statusCode=1401),
    "no such page": says(404),
    "an error of its own": says(500),
    "another kind of challenge": strange_challenge,
}


@row(
    "A92",
    "an attacker who controls uaf-fetch looks for the code of a first registration in every byte that passes, even "
    "after making the server appear to be a different one",
    f"no part of the code is there: not {TELLING} characters of it, nor a hash of it",
    causes=("the network",),
)
def code_on_the_wire(lab):
    lab.configure(server=SIGNED)
    relay, seen, broken = Relay(lab), [], []
    for what, on_answer in PROVOCATIONS.items():
        person = lab.person(registered=False)
        payload = lab.payload(person)
        with open(payload, encoding="ascii") as line:
            code = wire.code_of(line.read())
        relay.packets.clear()
        with relay.doing(on_answer=on_answer):
            said = register(lab, person, payload)
        must(on_answer or said.returncode == 0, f"not registered: {said.stdout}")
        passed = b"\n".join(relay.packets).lower()
        must(person.name.encode() in passed, f"{what}: not even the name has passed: nothing is shown")
        found = [form for form, trace in traces(code).items() if trace.lower() in passed]
        if found:
            broken.append(f"{what}: {found[0]}, and {len(found) - 1} more")
        seen.append(f"{what}: {len(passed)} bytes")
    must(not broken, f"of a code of {len(code)} characters there is: {'; '.join(broken)}")
    return f"none of {len(traces(code))} traces of a code of {len(code)} characters: {'; '.join(seen)}"
