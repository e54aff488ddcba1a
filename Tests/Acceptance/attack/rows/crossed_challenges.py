"""Challenges that are answered in a different session than they were issued for: the console's, a second server's, or a second
person's."""

import json
import os
import pathlib
import shutil
import threading

from attack import wire
from attack.own_browser import OwnBrowser, confirm
from attack.own_server import OwnServer
from attack.recorder import decode, encode, respond
from attack.relay import Relay
from attack.rows.enrolling import SIGNED
from attack.rows.first_keys import OTHER_MODEL
from attack.rows.further_keys import TEXTS
from attack.signing import SERVER
from attack.thief import OK, Thief, part
from lab import machine
from lab.machine import PORT
from lab.table import must, row
from lab.waiting import at_once

CONSOLE, CONSOLE_PORT, PAGES = "/srv/uaf-sign-in", 8464, 8465


def in_place(asked, said, request):
    """The server's answer, with a different UAF request in it."""
    return said.with_members(uafRequest=json.dumps([request])) if asked.is_question else said


def text_of(request, text=None):
    """A request without its text, or with a different text."""
    forms = [{**form, "content": encode(text.encode())} for form in request["transaction"]] if text else None
    return {name: value for name, value in {**request, "transaction": forms}.items() if value is not None}


def at_question(change):
    """Replaces the login's request by the console's, adapted to what the login has asked for."""

    def hooks(ask):
        def on_answer(asked, said):
            return in_place(asked, said, change(ask(), asked)) if asked.is_question else said

        return on_answer

    return hooks


def further(change):
    """Adds the console's request as a second one, demanded after the login's response."""

    def hooks(ask):
        slipped = []

        def on_answer(asked, said):
            if not asked.is_answer or slipped:
                return said
            slipped.append(change(ask()))
            return said.with_members(newUAFRequest=json.dumps(slipped))

        return on_answer

    return hooks


# How the console's request replaces a login's, and whether that login asks for a text.
CROSSINGS = {
    "in a login's place": (at_question(lambda request, asked: request), False),
    "without its text": (at_question(lambda request, asked: text_of(request)), False),
    "in a text's place": (at_question(lambda request, asked: request), True),
    "with the login's text": (at_question(lambda request, asked: text_of(request, wire.text_in(asked.context))), True),
    "as a further request": (further(lambda request: request), False),
    "as a further request without its text": (further(text_of), False),
}


class SignIn:
    """The attacker requests a sign-in at the console in the administrator's name."""

    def __init__(self, person):
        self._name = person.name

    def ask(self):
        """Asks again; returns the line that would confirm the request."""
        self._browser = OwnBrowser(CONSOLE, PAGES, self._name)
        return self._browser.line

    def is_won(self):
        return self._browser.is_signed_in()


class Step:
    """The attacker has the administrator's session, and asks for a role."""

    def __init__(self, lab, person, mallory):
        self._lab, self._mallory = lab, mallory
        self._browser = OwnBrowser(CONSOLE, PAGES, person.name)
        session = confirm(self._browser.line, person)
        must(self._browser.is_signed_in(), f"no session for the administrator, who has confirmed it: {session}")

    def ask(self):
        """Asks again; returns the line that would confirm the request."""
        return self._browser.begin("/console/administrators/set", name=self._mallory.name, role="administrator")

    def is_won(self):
        self._browser.go_on()
        listed = self._lab.run("uaf-server", "admin", "list", "--state", CONSOLE).stdout
        return any(line.split("\t")[0] == self._mallory.name for line in listed.splitlines())


@row(
    "A93",
    "an attacker who controls uaf-fetch asks the console for a sign-in as an administrator, or for a role in the "
    "administrator's session, and makes the administrator's login sign its challenge",
    "no session, and no role",
    causes=("the network",),
)
def parallel_session(lab):
    server = OwnServer(lab, CONSOLE, CONSOLE_PORT, "--admin-listen", f"127.0.0.1:{PAGES}")
    server.configure()
    relay, person, mallory, seen, broken = Relay(lab), server.person(), server.person(), [], []
    lab.run("uaf-server", "admin", "add", person.name, "administrator", "--state", CONSOLE)
    thief = Thief(person.name, CONSOLE, CONSOLE_PORT)
    for goal in (SignIn(person), Step(lab, person, mallory)):
        for way, (crossing, has_text) in CROSSINGS.items():
            what = f"{type(goal).__name__}, {way}"
            code = wire.by_approval(wire.code_of(goal.ask()))
            server.configure(more=TEXTS if has_text else "")
            with relay.doing(on_answer=crossing(lambda code=code: thief.ask("Auth", **code))):
                login = lab.login(person, person.passcode)
            if goal.is_won():
                broken.append(what)
            answers = sum(asked.is_answer for asked in relay.asked)
            seen.append(f"{what}: {'let in' if login.is_in else 'refused'}, {answers} signed")
        session = confirm(goal.ask(), person)
        must(goal.is_won(), f"{type(goal).__name__}: the person's own yes does not lead to it: nothing is shown: {session}")
    must(not broken, f"the attacker has it: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


# --- Two servers

OTHER, OTHER_PORT = "/srv/uaf-other", 8466


class Elsewhere:
    """The machine's second server, run by the attacker, with its own state folder and the first server's certificate."""

    def __init__(self, lab):
        self._lab = lab
        pathlib.Path(OTHER).mkdir(mode=0o700, exist_ok=True)
        for name in ("ca.pem", "certificate.pem", "key.pem"):
            shutil.copy2(pathlib.Path(SERVER, name), OTHER)
        self.server = OwnServer(lab, OTHER, OTHER_PORT)
        self.app_id, self.first = (f"https://127.0.0.1:{port}/uaf/facets" for port in (OTHER_PORT, PORT))
        folder, self._path = pathlib.Path("/var/lib/pam-uaf-other"), "/etc/security/pam_uaf-other.conf"
        lab.after(lambda: shutil.rmtree(folder, ignore_errors=True))
        folder.mkdir(mode=0o700, exist_ok=True)
        self.server.configure()
        text = machine.CONFIGURATION.read_text().replace("[state]", f'[state]\ndirectory = "{folder}"')
        lines = [f'app_ids = ["{self.app_id}"]' if line.startswith("app_ids") else line for line in text.splitlines()]
        pathlib.Path(self._path).write_text("\n".join(lines) + "\n")
        lab.configure(server=SIGNED)
        lab.run("uafctl", "init", "--conf", self._path)
        lab.stack("elsewhere", f"auth required pam_uaf.so conf={self._path}", "account required pam_permit.so")

    def register(self, person):
        answers = f"{person.passcode}\n{person.passcode}\n"
        payload = self._lab.payload(person, OTHER)
        self._lab.run("uafctl", "register", person.name, "--conf", self._path, "--payload", payload, answers=answers)


def under_the_own_app_id(others, said):
    own = wire.requests_in(said.document)[-1]
    return {**others, "header": {**others["header"], "appID": own["header"]["appID"]}}


def challenge_alone(others, said):
    """The requested UAF request, with the challenge and the server data of the other server."""
    own = wire.requests_in(said.document)[-1]
    header = {**own["header"], "serverData": others["header"]["serverData"]}
    return {**own, "header": header, "challenge": others["challenge"]}


# How the core gets the request of a server to which it has not sent anything.
LENDINGS = {
    "as it is": lambda others, said: others,
    "under the AppID of the one that was asked": under_the_own_app_id,
    "its challenge alone": challenge_alone,
}


@row(
    "A94",
    "a login at one server is given the challenge of another server behind the same certificate: unchanged, under the "
    "AppID of the first, and only the challenge",
    "the other server accepts no response",
    causes=("the network", "the server"),
)
def two_servers(lab):
    elsewhere, person = Elsewhere(lab), lab.person()
    elsewhere.register(person)
    must(lab.login(person, person.passcode, "elsewhere").is_in, "the second server does not work: nothing is shown")
    relay, thief, seen, broken, spent = Relay(lab), Thief(person.name), [], [], []
    with relay.doing(lambda asked: spent.append(respond(asked.body)) or asked if asked.is_answer else asked):
        lab.login(person, person.passcode)
    must(set(spent) == {OK}, f"what the person signs for the first server is not accepted: nothing is shown: {spent}")
    for what, change in LENDINGS.items():
        statuses = []

        def on_answer(asked, said, change=change):
            return in_place(asked, said, change(thief.ask("Auth"), said)) if asked.is_question else said

        def on_request(asked, statuses=statuses):
            if not asked.is_answer:
                return asked
            statuses.append(respond(asked.body))
            answer = asked.answer()
            answer.header["appID"] = elsewhere.first
            statuses.append(respond(answer.body()))
            return asked

        with relay.doing(on_request, on_answer):
            login = lab.login(person, person.passcode, "elsewhere")
        if OK in statuses:
            broken.append(what)
        seen.append(f"{what}: {'let in' if login.is_in else 'refused'}, {statuses or 'nothing signed'}")
    must(not broken, f"accepted by the other server: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


# --- Responses of other people


class Exchange:
    """Holds the answers of two logins until both have arrived, and swaps them.

    When a login tries again, the other login's answer is sent again.
    """

    def __init__(self, change):
        self._change, self._both, self._first = change, threading.Barrier(2, timeout=60), {}

    def __call__(self, asked):
        if not asked.is_answer:
            return asked
        own = asked.context["username"]
        if own not in self._first:
            self._first[own] = asked
            self._both.wait()
        (other,) = [answer for name, answer in self._first.items() if name != own]
        return self._change(asked, other)


def whole(mine, others):
    return others


def in_own_context(mine, others):
    return others.about(**mine.context)


def in_own_message(mine, others):
    answer = mine.answer()
    answer.message[0]["assertions"] = others.answer().message[0]["assertions"]
    return mine.says(answer.body())


def with_part_of(tag):
    """Only AAID or KeyID belong to the other person."""

    def change(mine, others):
        answer, other = mine.answer(), others.answer()
        envelope = answer.message[0]["assertions"][0]
        envelope["assertion"] = encode(decode(envelope["assertion"]).replace(part(answer, tag), part(other, tag)))
        return mine.says(answer.body())

    return change


def another_model(mine, others):
    answer = mine.answer()
    envelope = answer.message[0]["assertions"][0]
    envelope["assertion"] = encode(decode(envelope["assertion"]).replace(part(answer, wire.AAID), OTHER_MODEL))
    return mine.says(answer.body())


EXCHANGES = {
    "whole": whole,
    "under the own name": in_own_context,
    "in the own message": in_own_message,
    "its KeyID": with_part_of(wire.KEY_ID),
    "another AAID": another_model,
}


@row(
    "A95",
    "exchanging the responses of two people who log in at the same time: whole, under the own name, in the own "
    "message, the KeyID; another AAID; repeating the success of an earlier login",
    "nobody gets in with what another key, another person or another login has signed",
    causes=("the network",),
)
def answers_exchanged(lab):
    lab.configure(server=SIGNED)
    relay, pair, seen = Relay(lab), [lab.person() for _ in range(2)], []
    with relay.doing():
        logins = at_once(*(lambda person=person: lab.login(person, person.passcode) for person in pair))
    must(all(login.is_in for login in logins), f"two logins at once do not work at all: {logins}")
    for what, change in EXCHANGES.items():
        with relay.doing(on_request=Exchange(change)):
            logins = at_once(*(lambda person=person: lab.login(person, person.passcode) for person in pair))
        codes = [login.code for login in logins]
        must(not any(login.is_in for login in logins), f"{what}: let in: {codes}")
        seen.append(f"{what}: {codes}")
    person = pair[0]
    earlier = []

    def again(asked, said):
        if not asked.is_answer:
            return said
        earlier.append(said)
        return earlier[0]

    with relay.doing(on_answer=again):
        must(lab.login(person, person.passcode).is_in, "the first of two logins is refused")
        login = lab.login(person, person.passcode)
    must(not login.is_in, "the yes of an earlier login lets in")
    seen.append(f"an earlier yes: {login.code}")
    return "; ".join(seen)


# --- Challenges that are not a login's


def foreign_challenges(lab, person):
    """Challenges that do not belong to this person's login, by purpose, each with its server data."""
    other, thief = lab.person(), Thief(person.name)
    code = wire.by_code(wire.code_of(pathlib.Path(lab.payload(person)).read_text()), person.name)
    return {
        "a registration's": thief.ask("Reg", **code),
        "a proof's": thief.ask("Auth", **wire.wish("Dereg")),
        "another account's": Thief(other.name).ask("Auth"),
        "nobody's": {"header": {"serverData": "AAAA"}, "challenge": encode(os.urandom(32))},
    }


@row(
    "A97",
    "an attacker who controls uaf-fetch makes a login sign the challenge of a registration, of a proof, of another "
    "account, and of no server",
    "the person's key signs none of them, and the person is not let in",
    causes=("the network", "the server"),
)
def other_challenges(lab):
    lab.configure(server=SIGNED)
    relay, person, seen, broken = Relay(lab), lab.person(), [], []
    for what, others in foreign_challenges(lab, person).items():

        def on_answer(asked, said, others=others):
            return in_place(asked, said, challenge_alone(others, said)) if asked.is_question else said

        with relay.doing(on_answer=on_answer):
            login = lab.login(person, person.passcode)
        signed = [asked for asked in relay.asked if asked.is_answer]
        must(any(asked.is_question for asked in relay.asked), f"{what}: nothing was asked: nothing is shown")
        if signed or login.is_in:
            broken.append(what)
        seen.append(f"{what}: {'let in' if login.is_in else 'refused'}, {len(signed)} signed")
    must(not broken, f"signed: {'; '.join(broken)}. All: {'; '.join(seen)}")
    must(lab.login(person, person.passcode).is_in, "afterwards the person is not let in")
    return "; ".join(seen)
