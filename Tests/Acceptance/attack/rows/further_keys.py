"""A network program that abuses a person's proof to register its own key or to remove the person's."""

import json

from attack import wire
from attack.own_browser import OwnBrowser, confirm
from attack.own_server import OwnServer
from attack.recorder import encode
from attack.relay import Relay
from attack.rows.enrolling import BOTH, PATTERN, SIGNED, as_person
from attack.signing import SERVER
from attack.thief import Thief, keys
from lab.listener import serve
from lab.machine import PORT
from lab.table import must, row

TEXTS = "[service.uaf]\ntransaction = true"
CONSOLE, CONSOLE_PORT, PAGES = "/srv/uaf-console", 8461, 8462


class Asking:
    """Makes the person's key sign a proof for an operation, in one of several ways."""

    def __init__(self, person, operation, folder=SERVER, port=PORT):
        self.thief = Thief(person.name, folder, port)
        self._operation = operation

    def in_the_login(self):
        """Adds the operation to the login's own request."""

        def on_request(asked):
            return asked.about(**wire.wish(self._operation)) if asked.is_question else asked

        return {"on_request": on_request}

    def in_a_further_request(self):
        """Answers the login with a second request, which contains the operation."""
        slipped = []

        def on_answer(asked, said):
            if not asked.is_answer or slipped:
                return said
            slipped.append(self.thief.ask("Auth", **wire.wish(self._operation)))
            return said.with_members(newUAFRequest=json.dumps(slipped))

        return {"on_answer": on_answer}

    def in_place_of_the_login(self):
        """Gives the core a request that the thief has obtained elsewhere."""

        def on_answer(asked, said):
            if not asked.is_question:
                return said
            return said.with_members(uafRequest=json.dumps([self.thief.ask("Auth", **wire.wish(self._operation))]))

        return {"on_answer": on_answer}


WAYS = {
    "with the login": Asking.in_the_login,
    "as a further request": Asking.in_a_further_request,
    "in place of the login": Asking.in_place_of_the_login,
}


def told(refusals):
    """Describes what happened to the tokens of a row."""
    if not refusals:
        return "nothing to spend"
    return ", ".join(sorted({reason or "TAKEN" for reason in refusals}))


def logs_in(lab, person):
    return lab.login(person, person.passcode).is_in


def approves(lab, person):
    said = lab.run("uaf-server", "approve", person.name, "--text", "Pay 10 to Hana", "--state", SERVER).stdout
    return confirm(said.split()[0], person).status == 0


# The occasions on which a person enters the passcode: additional configuration, and a function that does it and returns whether
# it succeeded.
OCCASIONS = {
    "a login": ("", logs_in),
    "a login with a text": (TEXTS, logs_in),
    "an approval": ("", approves),
}


@row(
    "A85",
    "an attacker who controls uaf-fetch makes a login, a confirmed text or an approval prove a registration as well: "
    "with the same request, in an additional request, or with its own request; then registers its own key with every "
    "token that passes",
    "the server has only the person's key, and no other key gets in",
    causes=("the network",),
)
def login_made_a_registration(lab):
    relay, seen, broken = Relay(lab), [], []
    for occasion, (more, act) in OCCASIONS.items():
        for way, asks in WAYS.items():
            what = f"{occasion}, {way}"
            lab.configure(server=SIGNED, more=more)
            person = lab.person()
            before = keys(person.name)
            must(len(before) == 1, f"{what}: at first the person has the keys {before}")
            asking = Asking(person, "Reg")
            with relay.doing(**asks(asking)):
                done = act(lab, person)
            must(any(asked.is_question for asked in relay.asked), f"{what}: nothing was asked: nothing is shown")
            spent = asking.thief.spend(relay.tokens)
            if asking.thief.has_key or asking.thief.gets_in or keys(person.name) != before:
                broken.append(what)
            seen.append(f"{what}: {'done' if done else 'refused'}, {told(spent)}")
            must(act(lab, person), f"{what}: afterwards the person is refused")
    must(not broken, f"a key of the attacker's is registered: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


@row(
    "A86",
    "the same with an administrator's login; then the attacker's key confirms a sign-in to the console",
    "the attacker gets no key and no session",
    causes=("the network",),
)
def console_by_a_stolen_key(lab):
    server = OwnServer(lab, CONSOLE, CONSOLE_PORT, "--admin-listen", f"127.0.0.1:{PAGES}")
    server.configure()
    relay, seen, broken = Relay(lab), [], []
    for what, way in WAYS.items():
        person = server.person()
        lab.run("uaf-server", "admin", "add", person.name, "administrator", "--state", CONSOLE)
        asking = Asking(person, "Reg", CONSOLE, CONSOLE_PORT)
        with relay.doing(**way(asking)):
            login = lab.login(person, person.passcode)
        spent = asking.thief.spend(relay.tokens)
        browser = OwnBrowser(CONSOLE, PAGES, person.name)
        signed = asking.thief.confirms(browser.line)
        has_session = browser.is_signed_in()
        if has_session or asking.thief.has_key:
            broken.append(f"{what} ({'a session' if has_session else 'no session'})")
        seen.append(f"{what}: {'let in' if login.is_in else 'refused'}, {told(spent)}, sign-in {signed or 'CONFIRMED'}")
    must(not broken, f"the attacker has a key of an administrator's: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


def own(machine):
    """The machine's own description, as read by an attacker who controls uaf-fetch."""
    return {name: value for name, value in machine.items() if name.startswith("device")}


@row(
    "A87",
    "an attacker who controls uaf-fetch makes a login prove a removal as well, and has more keys removed than a person asks for",
    "the server deletes only the key whose removal the person requested",
    causes=("the network",),
)
def keys_removed(lab):
    lab.configure(server=SIGNED)
    relay, seen, broken = Relay(lab), [], []
    for what, way in WAYS.items():
        person = lab.person()
        before = keys(person.name)
        asking = Asking(person, "Dereg")
        with relay.doing(**way(asking)):
            login = lab.login(person, person.passcode)
        machine = next(asked.context for asked in relay.asked if asked.is_question)
        spent = asking.thief.remove(relay.tokens, **own(machine))
        if keys(person.name) != before:
            broken.append(what)
        seen.append(f"{what}: {'let in' if login.is_in else 'refused'}, {told(spent)}")

    serve(lab)
    for what, act in (("a removal of everything", removes_everything), ("a key that was lost", replaces_the_first)):
        lab.configure(server=SIGNED)
        person = lab.person()
        (kept,) = keys(person.name)
        lab.configure(server=SIGNED, authenticators=BOTH)
        said = act(lab, relay, person, kept)
        if kept not in keys(person.name):
            broken.append(what)
        seen.append(f"{what}: exit status {said.returncode}")
    must(not broken, f"keys are gone: {'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)


def removes_everything(lab, relay, person, kept):
    """The person removes the pattern's key, and the request asks to remove all keys."""

    def on_request(asked):
        return asked.about(**wire.EVERYTHING) if asked.is_question and asked.operation == "Dereg" else asked

    add_pattern(lab, person)
    must(len(keys(person.name)) == 2, "no second key: nothing is shown")
    with relay.doing(on_request=on_request):
        said = as_person(lab, person, "deregister", "pattern", answers=f"{person.passcode}\n{PATTERN}\n")
    must(any(asked.operation == "Dereg" for asked in relay.asked if asked.is_question), f"not asked: {said.stdout}")
    return said


def replaces_the_first(lab, relay, person, kept):
    """The person adds a pattern, and the request says that the passcode's key was lost."""

    def on_request(asked):
        is_there = asked.is_question and asked.operation == "Reg"
        return asked.about(**wire.in_place_of(encode(bytes.fromhex(kept)))) if is_there else asked

    with relay.doing(on_request=on_request):
        said = add_pattern(lab, person)
    must(any(asked.operation == "Reg" for asked in relay.asked if asked.is_question), f"not asked: {said.stdout}")
    return said


def add_pattern(lab, person):
    """Registers a second authenticator, proved by the first one; returns uafctl's output."""
    return as_person(lab, person, "register", "pattern", answers=f"{person.passcode}\n{PATTERN}\n{PATTERN}\n")
