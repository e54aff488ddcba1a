"""Texts that an attacker who controls uaf-fetch removes, swaps, or gets confirmed for a different purpose than shown."""

import contextlib
import sqlite3

from attack import wire
from attack.own_browser import OwnBrowser, confirm
from attack.own_server import OwnServer
from attack.relay import Relay
from attack.rows.crossed_challenges import in_place, text_of
from attack.rows.further_keys import TEXTS
from lab.table import must, row

FOLDER, PORT, PAGES = "/srv/uaf-texts", 8467, 8468
SIGN_IN = "Console sign-in: "
OTHER_TEXT = "mina@prod: sudo: cat /etc/shadow"


def stripped(relay):
    """Removes the text from what the client asks the server."""
    return {"on_request": lambda asked: asked.about(**wire.with_text(None)) if asked.is_question else asked}


def taken_out_of_the_request(relay):
    """Removes the text from the server's UAF request."""

    def on_answer(asked, said):
        return in_place(asked, said, text_of(request_in(said))) if asked.is_question else said

    return {"on_answer": on_answer}


def exchanged(relay):
    """Replaces the text in what the client asks the server."""
    return {"on_request": lambda asked: asked.about(**wire.with_text(OTHER_TEXT)) if asked.is_question else asked}


def exchanged_and_put_back(relay):
    """Replaces the text in what the client asks the server, and puts the original back for the core."""

    def on_answer(asked, said):
        return in_place(asked, said, text_of(request_in(said), wire.text_in(asked.context))) if asked.is_question else said

    return {**exchanged(relay), "on_answer": on_answer}


def request_in(said):
    """The newest version of the request that a server has sent."""
    return wire.requests_in(said.document)[-1]


CHANGES = {
    "stripped": stripped,
    "taken out of the request": taken_out_of_the_request,
    "exchanged": exchanged,
    "exchanged and put back": exchanged_and_put_back,
}


def unwrapped(text):
    """The terminal's text as one line: joins the rows, which uafctl has broken between words."""
    return " ".join(text.split())


class Desk:
    """A server with a console, a person with a role, and the texts that were confirmed for that person."""

    def __init__(self, lab):
        self._lab = lab
        self._server = OwnServer(lab, FOLDER, PORT, "--admin-listen", f"127.0.0.1:{PAGES}")
        self._server.configure(more=TEXTS)
        self.person = self._server.person()
        lab.run("uaf-server", "admin", "add", self.person.name, "administrator", "--state", FOLDER)

    def confirmed(self):
        """The texts that the server keeps of this person, oldest first."""
        return self._rows("SELECT shown FROM confirmation WHERE username = ? ORDER BY id")

    def approved(self):
        """The requested texts that the server reported as confirmed by the person."""
        return self._rows("SELECT shown FROM approval WHERE username = ? AND confirmedAt IS NOT NULL")

    def _rows(self, question):
        with contextlib.closing(sqlite3.connect(f"{FOLDER}/server.db", timeout=10)) as store:
            return [text for (text,) in store.execute(question, (self.person.name,))]

    def approval(self, text):
        """The line with which the person confirms a text of the helpdesk; None if the helpdesk may not write that text."""
        said = self._lab.run("uaf-server", "approve", self.person.name, "--text", text, "--state", FOLDER, check=False)
        return said.stdout.split()[0] if said.returncode == 0 else None

    def shows(self, line, words):
        """Confirms, and returns the screen before the passcode prompt as one line; it must contain these words."""
        session = confirm(line, self.person)
        shown = unwrapped(session.text.partition("\nPasscode")[0])
        must(session.status == 0 and words in shown, f"not confirmed: {session}")
        return shown


@row(
    "A96",
    "the text of a login stripped or exchanged in transit; a helpdesk's text confirmed by a login that shows the same; "
    "a helpdesk's text that reads like the console's",
    "what is confirmed is what was on the screen, for the purpose for which it was shown, and the screen says who wrote it",
    causes=("the network", "the server"),
)
def turned_texts(lab):
    desk = Desk(lab)
    relay, person, seen, broken = Relay(lab), desk.person, [], []
    with relay.doing():
        login = lab.login(person, person.passcode)
    text = next(wire.text_in(asked.context) for asked in relay.asked if asked.is_question)
    kept = desk.confirmed()
    must(login.is_in and len(kept) == 1 and text in kept[0], f"{login} confirms {kept}")
    for what, change in CHANGES.items():
        with relay.doing(**change(relay)):
            login = lab.login(person, person.passcode)
        if login.is_in or desk.confirmed() != kept:
            broken.append(f"{what}: let in {login.is_in}, confirmed {desk.confirmed()}")
        seen.append(f"{what}: {'let in' if login.is_in else 'refused'}")
    if line := desk.approval(text):
        code = {**wire.with_text(None), **wire.by_approval(wire.code_of(line))}
        with relay.doing(lambda asked: asked.about(**code) if asked.is_question else asked):
            login = lab.login(person, person.passcode)
        if desk.approved():
            broken.append("a helpdesk's text is confirmed by a login that shows the same")
        seen.append(f"a helpdesk's text: {'let in' if login.is_in else 'refused'}")
    else:
        seen.append("a helpdesk cannot ask for the text of a login")
    console = desk.shows(OwnBrowser(FOLDER, PAGES, person.name).line, SIGN_IN)
    line = desk.approval(console[console.index(SIGN_IN) :])
    helpdesk = desk.shows(line, SIGN_IN) if line else "refused to the helpdesk"
    instead = desk.approval("Pay 10 to Hana")
    must(instead, "a helpdesk cannot ask for anything: nothing is shown")
    browser = OwnBrowser(FOLDER, PAGES, person.name)
    code = wire.by_approval(wire.code_of(browser.line))
    with relay.doing(lambda asked: asked.about(**code) if asked.is_question else asked):
        session = confirm(instead, person)
    if browser.is_signed_in() and console[: console.index(", code ")] not in unwrapped(session.text):
        broken.append(f"a sign-in is confirmed that was not on the screen: {session}")
    seen.append(f"a helpdesk's code exchanged for the console's: exit status {session.status}")
    if helpdesk == console:
        broken.append(f"a helpdesk's text is shown as the console's: {console!r}")
    seen.append(f"the console's text and a helpdesk's: {console!r} and {helpdesk!r}")
    must(not broken, f"{'; '.join(broken)}. All: {'; '.join(seen)}")
    return "; ".join(seen)
