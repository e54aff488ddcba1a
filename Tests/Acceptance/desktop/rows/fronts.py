"""Debian's display managers and lockers: the right passcode, a wrong one, a lock, no server, Korean. Each row keeps pictures."""

import pathlib

from desktop.desk import DAEMON, SECRET, UNLOCK
from desktop.display import LIMIT
from desktop.programs import SDDM, Greetd, LightDM, Swaylock, XScreenSaver
from lab.hosts import LOCKED, WRONG
from lab.table import must, row
from lab.waiting import until

GUESS = "wrong-guess-0"
# No server listens at this address.
CLOSED_PORT = 8499
KOREAN = "ko_KR.UTF-8"
FRONTS = (LightDM, SDDM, Greetd, Swaylock, XScreenSaver)


def started(lab, kind, language="C.UTF-8", **options):
    """A person in front of a program that shows its first prompt, and where the log then ends; with options of `configure`."""
    front = kind(lab)
    front.enable()
    person = lab.person()
    lab.configure(**options)
    mark = lab.log.mark()
    front.start(person, language)
    front.ask()
    return front, person, mark


def tells(front, text, language="en"):
    """Waits until the program shows a text of PAM's, or its own words in place of it."""
    if front.refuses is not None:
        front.screen.wait_for(front.refuses or text, language)


def counts(lab, person, mark, *results):
    """Waits until the core has logged these results, and no others."""
    until(lambda: len(lab.verdicts(mark, person)) >= len(results), f"{len(results)} results", LIMIT)
    found = lab.verdicts(mark, person)
    must(found == list(results), f"results {found}, not {list(results)}")


def gets_in(front, value):
    """Enters a value, and waits until it has let the person in."""
    front.screen.enter(value)
    until(front.is_in, "the person is in", LIMIT)
    front.screen.picture(f"{front.service}-in")


def entry(lab, kind):
    front, person, mark = started(lab, kind)
    front.prompts()
    front.screen.picture(f"{front.service}-asks")
    front.screen.enter(GUESS)
    counts(lab, person, mark, WRONG)
    tells(front, "Wrong passcode: 4 tries left.")
    front.screen.picture(f"{front.service}-wrong")
    must(not front.is_in(), "a wrong passcode lets in")
    front.ask_again()
    front.prompts()
    gets_in(front, person.passcode)
    counts(lab, person, mark, WRONG, "0")
    return f"the wrong one counted once{' and told' if front.refuses == '' else ''}, the right one in"


def lock(lab, kind):
    front, person, mark = started(lab, kind, lock="retry_count_to_lock = 2\nlock_time = 300\nmax_lock_count = 3")
    for number in (1, 2):
        front.prompts()
        front.screen.enter(GUESS)
        counts(lab, person, mark, *[WRONG] * number)
        tells(front, "Wrong passcode: 1 try left." if number == 1 else "Locked after wrong entries: try again in")
        if number == 1:
            front.ask_again()
    front.screen.picture(f"{front.service}-locked")
    front.ask_again()
    # A program that asks before it has called libpam still does so.
    if front.types_first:
        front.screen.enter(person.passcode)
    counts(lab, person, mark, WRONG, WRONG, LOCKED)
    tells(front, "Locked after wrong entries: try again in")
    must(not front.is_in(), "in although locked")
    return "locked after two; the right one refused"


def down(lab, kind):
    front, person, _ = started(lab, kind, port=CLOSED_PORT)
    front.prompts()
    front.screen.enter(person.passcode)
    tells(front, "No answer from the server: the connection was refused.")
    front.screen.picture(f"{front.service}-down")
    if front.falls_back:
        if front.shows_second:
            front.screen.wait_for("Password:")
        gets_in(front, person.password)
        return "told; the password lets in after the passcode"
    mark = lab.log.mark()
    lab.configure()
    front.ask_again()
    front.prompts()
    gets_in(front, person.passcode)
    counts(lab, person, mark, "0")
    return "refused, and in once the server answers again"


def korean(lab, kind):
    front, person, mark = started(lab, kind, KOREAN)
    front.prompts("ko")
    front.screen.enter(GUESS)
    counts(lab, person, mark, WRONG)
    tells(front, "패스코드가 맞지 않습니다. 4번 더 시도할 수 있습니다.", "ko")
    front.screen.picture(f"{front.service}-korean")
    front.ask_again()
    front.prompts("ko")
    gets_in(front, person.passcode)
    return "the prompt and what is wrong in Korean"


for kind in FRONTS:
    for name, act, title, expected in (
        ("entry", entry, "a wrong passcode, then the right one", "the wrong one counts once, and is told; the right one lets in"),
        ("lock", lock, "two wrong passcodes at a limit of two, then the right one", "locked, and told; the right one is refused"),
        ("down", down, "the server cannot be reached", "the password after the passcode where two can be entered; else refused"),
        ("korean", korean, "somebody whose session is Korean", "the prompt and the refusal are shown in Korean"),
    ):
        if name != "korean" or kind.refuses == "":
            row(f"{kind.service}-{name}", f"{kind.__name__}: {title}", expected)(lambda lab, act=act, kind=kind: act(lab, kind))


@row(
    "lightdm-keyring",
    "LightDM with Debian's stack and gnome-keyring behind the passcode",
    "the session begins with an open keyring",
)
def keyring(lab):
    desk = lab.desk
    desk.needs_gnome()
    lab.configure(more=UNLOCK)
    front = LightDM(lab)
    front.enable()
    person = lab.person()
    desk.prepare(person)
    desk.make_keyring(person)
    desk.keep(person)
    question = pathlib.Path("/tmp/ask-in-session")
    address = desk.environment(person)["DBUS_SESSION_BUS_ADDRESS"]
    question.write_text(
        f"#!/bin/sh\nexport DBUS_SESSION_BUS_ADDRESS={address} XDG_RUNTIME_DIR={person.runtime}\n"
        f"{DAEMON} --start --components=secrets >/dev/null\nsecret-tool lookup lab one\n"
    )
    question.chmod(0o755)
    lab.after(question.unlink)
    front.start(person)
    front.ask()
    front.prompts()
    gets_in(front, person.passcode)
    must(SECRET in front.said_in_session(), f"the secret cannot be read: {front.said_in_session()}")
    return "the secret is read in the session"
