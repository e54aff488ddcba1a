"""uafctl-gui on a screen, against the real uafctl, core and server."""

import pathlib
import re

from attack.recorder import enrolment_code
from desktop.screen import Screen, needs_screen
from lab.listener import serve
from lab.processes import running
from lab.table import must, row
from lab.waiting import until

SIGNED = 'require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"'
BOTH = '["passcode", "pattern"]'
KOREAN = "ko_KR.UTF-8"
NEW = "new-kite-77"
LIMIT = 300
UAFCTL = pathlib.Path("/usr/bin/uafctl")


def screen(lab, registered=True, language="C.UTF-8", dark=False, core=True, **configuration):
    """A person at a screen with the program, and a core that answers."""
    needs_screen()
    lab.configure(**configuration)
    person = lab.person(registered=registered)
    if core:
        serve(lab)
    return Screen(lab, person, language, dark).open()


def logs_in(lab, person, value):
    """Whether a value logs the person in."""
    return lab.login(person, value).is_in


def registers_pattern(seat):
    """Registers a pattern: the first time with the mouse, the second time with keys."""
    seat.press("Set up a pattern")
    seat.fill(enrolment_code(seat.person.name))
    seat.shows("Dot 9, bottom right")
    seat.draw(1, 2, 3, 6, 9)
    seat.picture("pattern")
    seat.press("Continue")
    seat.shows("No dot is drawn yet.")
    seat.focused("Dot 1, top left")
    seat.ask(do="keys", text="12369")
    seat.shows("5 dots are drawn.")
    seat.key("Return")
    seat.ends("It is set up")


@row(
    "window-register", "somebody registers in the window, with a typed code", "registered, and the passcode logs in", limit=LIMIT
)
def registers(lab):
    seat = screen(lab, registered=False)
    seat.shows("Nothing is set up yet.")
    seat.picture("empty")
    seat.press("Set up a passcode")
    seat.fill("AAAA-AAAA-AAAA-AAAA")
    seat.shows("That did not work")
    seat.picture("wrong-code")
    seat.press("Try again")
    seat.fill(enrolment_code(seat.person.name), picture="code")
    seat.fill("short", "short")
    seat.shows("Continue")
    seat.problem()
    seat.fill(seat.person.passcode, seat.person.passcode, picture="new-passcode")
    seat.ends("It is set up", picture="done")
    seat.shows("Ready")
    must(logs_in(lab, seat.person, seat.person.passcode), "the passcode does not log in")
    return "a wrong code and a short passcode were explained; then it was registered"


@row("window-change", "a change with a wrong value, two that differ, and the right ones", "only the new one logs in", limit=LIMIT)
def changes(lab):
    seat = screen(lab)
    seat.picture("home")
    seat.press("Change the passcode")
    seat.fill("wrong-guess")
    seat.problem("passcode")
    seat.picture("wrong")
    seat.fill(seat.person.passcode)
    seat.fill(NEW, "another-one-8")
    seat.problem()
    seat.fill(NEW, NEW)
    seat.ends("It is changed")
    must(logs_in(lab, seat.person, NEW), "the new passcode does not log in")
    must(not logs_in(lab, seat.person, seat.person.passcode), "the old passcode logs in")
    return "the wrong one and the difference were told; the new one logs in"


@row(
    "window-cancel",
    "a change that is cancelled with the button, with Escape, and by closing the window",
    "the old value stays, and no program is left",
    ("the person",),
    limit=LIMIT,
)
def cancels(lab):
    seat = screen(lab)
    for leave in (lambda: seat.press("Cancel"), lambda: seat.key("Escape")):
        seat.press("Change the passcode")
        seat.fill(seat.person.passcode)
        seat.fields(2)
        leave()
        seat.ends("Cancelled", picture="cancelled")
    seat.press("Change the passcode")
    seat.fill(seat.person.passcode)
    seat.fields(2)
    must(seat.close() == 0, "the program did not end in order")
    until(lambda: not running("uafctl"), "the end of uafctl")
    must(logs_in(lab, seat.person, seat.person.passcode), "the old passcode does not log in")
    return "cancelled twice and closed once; the old passcode logs in"


@row(
    "window-pattern",
    "a pattern drawn by mouse, typed, and chosen dot by dot",
    "each is taken, and only how many is told",
    limit=LIMIT,
)
def patterns(lab):
    seat = screen(lab, registered=False, authenticators='["pattern"]')
    registers_pattern(seat)
    must(logs_in(lab, seat.person, "12369"), "the pattern does not log in")
    seat.press("Change the pattern")
    for dot in ("Dot 1, top left", "Dot 3, top right", "Dot 9, bottom right"):
        seat.press(dot)
    # Lines that pass over a dot take it along.
    seat.shows("5 dots are drawn.")
    seat.press("Continue")
    for _ in range(2):
        seat.shows("No dot is drawn yet.")
        seat.focused("Dot 1, top left")
        seat.ask(do="keys", text="74125")
        seat.shows("5 dots are drawn.")
        seat.key("BackSpace")
        seat.shows("4 dots are drawn.")
        seat.ask(do="keys", text="3")
        seat.shows("5 dots are drawn.")
        seat.key("Return")
    seat.ends("It is changed")
    must(logs_in(lab, seat.person, "74123"), "the new pattern does not log in")
    return "by mouse, keys and buttons; a screen reader hears how many dots, never which"


@row("window-pin", "a PIN on the shuffled keypad, and with the core's own shuffled keys", "the PIN is taken", limit=LIMIT)
def pins(lab):
    seat = screen(lab, registered=False, more='[passcode]\nui_type = "pin4"')
    seat.press("Set up a passcode")
    seat.fill(enrolment_code(seat.person.name))
    seat.fields(2)
    first = seat.digits()
    seat.dial("4827")
    seat.focused("New passcode again (4 digits)")
    seat.dial("4827")
    seat.picture("keypad")
    seat.press("Continue")
    seat.ends("It is set up")
    must(logs_in(lab, seat.person, "4827"), "the PIN does not log in")
    lab.configure(more='[passcode]\nui_type = "pin4"\nkeypad = "shuffled"')
    seat.press("Change the passcode")
    for value in ("4827", "5931", "5931"):
        seat.fields(1)
        orders = seat.digits()
        must(sorted(orders) == sorted(first), f"the keypad lacks a digit: {orders}")
        seat.dial(value)
        seat.picture("core-keypad")
        seat.go_on()
    seat.ends("It is changed")
    lab.configure(more='[passcode]\nui_type = "pin4"')
    must(logs_in(lab, seat.person, "5931"), "the new PIN does not log in")
    return "entered with buttons alone"


@row("window-lock", "three wrong values in the window", "locked; the time counts down; unlocked, it is ready", limit=LIMIT)
def locks(lab):
    seat = screen(lab, lock="retry_count_to_lock = 3\nlock_time = 300\nmax_lock_count = 3")
    seat.press("Change the passcode")
    for number in range(3):
        seat.fill(f"wrong-guess-{number}")
    seat.shows("That did not work")
    seat.picture("locked")
    seat.press("Done")
    first = seconds(seat.shows("Locked. You can try again in"))
    seat.picture("home-locked")
    until(lambda: seconds(seat.shows("Locked. You can try again in")) <= first - 2, "the countdown")
    must(first <= 300, f"the lock is longer than it is: {first}")
    must(not [name for name in seat.names("push button") if name.startswith("Change")], "a change is offered while locked")
    lab.run("uafctl", "unlock", seat.person.name)
    seat.press("Check again")
    seat.shows("Ready")
    return "the seconds went down, and after the unlock it was ready"


def seconds(text):
    """The time in the text of a lock."""
    minutes = re.search(r"(\d+) min", text)
    rest = re.search(r"(\d+) s\b", text)
    return int(minutes[1] if minutes else 0) * 60 + int(rest[1] if rest else 0)


@row("window-recover", "somebody who is locked for good gets a new code", "a new value is set, and logs in", limit=LIMIT)
def recovers(lab):
    lock = "retry_count_to_lock = 1\nlock_time = 300\nmax_lock_count = 0"
    seat = screen(lab, lock=lock, server=SIGNED)
    lab.guesses(seat.person, 1)
    seat.press("Check again")
    seat.shows("Locked until your administrator ends it")
    seat.picture("home-locked-for-good")
    seat.press("Forgotten or locked")
    seat.fields(1)
    seat.picture("recover")
    seat.fill(enrolment_code(seat.person.name))
    seat.fill(NEW, NEW)
    seat.ends("The new one is set")
    seat.shows("Ready")
    must(logs_in(lab, seat.person, NEW), "the new passcode does not log in")
    must(not logs_in(lab, seat.person, seat.person.passcode), "the old passcode logs in")
    return "set with the code, without the old value"


@row("window-forget", "the passcode is forgotten in the window, after a question", "gone here and at the server", limit=LIMIT)
def forgets(lab):
    seat = screen(lab)
    seat.press("Forget the passcode")
    seat.shows("Forget the passcode?")
    seat.picture("forget")
    # The keyboard is on the button that changes nothing.
    seat.key("Return")
    seat.shows("Ready")
    seat.press("Forget the passcode")
    seat.shows("Forget the passcode?")
    seat.press("Forget the passcode")
    seat.fill(seat.person.passcode)
    seat.ends("It is forgotten")
    seat.shows("Nothing is set up yet.")
    must(lab.status(seat.person)["registeredTypes"] == 0, "still registered on the machine")
    return "nothing by Enter; then gone"


@row(
    "window-types",
    "somebody with a passcode sets up a pattern, allowed by the passcode instead of a code",
    "the pattern is registered, and the passcode stays",
    limit=LIMIT,
)
def types(lab):
    seat = screen(lab, authenticators=BOTH, server=SIGNED)
    seat.press("Set up a pattern")
    seat.press("I have no code")
    # The page of the code has a field, too.
    seat.shows("Enter it to go on")
    seat.fill(seat.person.passcode)
    for _ in range(2):
        seat.shows("No dot is drawn yet.")
        seat.focused("Dot 1, top left")
        seat.ask(do="keys", text="12369")
        seat.shows("5 dots are drawn.")
        seat.key("Return")
    seat.ends("It is set up")
    seat.shows("Pattern", "list item")
    seat.shows("Passcode", "list item")
    seat.picture("both")
    status = lab.status(seat.person)
    must(status["registeredTypes"] == status["usableTypes"] == 132, f"not both: {status}")
    return "both are shown, and both are usable"


@row(
    "window-korean",
    "a Korean session in a dark desktop",
    "every text is Korean, and the window is dark",
    limit=LIMIT,
)
def korean(lab):
    seat = screen(lab, language=KOREAN, dark=True, authenticators='["pattern"]', registered=False)
    shot = seat.picture("korean-empty")
    must(seat.brightness(shot) < 90, f"the window is not dark: {seat.brightness(shot)}")
    seat.all_korean()
    seat.press("패턴 등록")
    seat.shows("패턴 등록하기")
    seat.picture("korean-code")
    seat.all_korean()
    seat.fill(enrolment_code(seat.person.name))
    seat.shows("점 9, 오른쪽 아래")
    seat.focused("점 1, 왼쪽 위")
    seat.ask(do="keys", text="12369")
    seat.picture("korean-pattern")
    seat.all_korean()
    seat.key("Return")
    seat.shows("아직 그린 점이 없습니다.")
    seat.focused("점 1, 왼쪽 위")
    seat.ask(do="keys", text="12369")
    seat.key("Return")
    seat.shows("등록했습니다")
    seat.picture("korean-done")
    seat.all_korean()
    seat.press("완료")
    seat.shows("사용할 수 있습니다")
    seat.picture("korean-home")
    seat.all_korean()
    seat.press("패턴 삭제")
    seat.shows("패턴을 삭제하시겠습니까?")
    seat.picture("korean-forget")
    seat.all_korean()
    seat.press("취소")
    seat.press("잊어버렸거나 잠겼을 때")
    seat.shows("새로 정하기")
    seat.picture("korean-recover")
    seat.all_korean()
    return "seven pages"


@row(
    "window-missing",
    "uafctl is not there, no core answers, and the server is gone",
    "each time the window says what to do, and goes on afterwards",
    ("the machine", "the network"),
    limit=LIMIT,
)
def missing(lab):
    seat = screen(lab, core=False, registered=False)
    seat.shows("That did not work")
    seat.shows("Start the machine anew, or ask your administrator.")
    seat.picture("no-core")
    serve(lab)
    seat.press("Try again")
    seat.shows("Nothing is set up yet.")
    lab.configure(port=9)
    seat.press("Set up a passcode")
    seat.fill(enrolment_code(seat.person.name))
    seat.shows("That did not work")
    seat.picture("no-server")
    gone = seat.texts()
    lab.configure()
    seat.press("Done")
    seat.shows("Nothing is set up yet.")
    hidden = UAFCTL.rename("/usr/bin/uafctl.hidden")
    lab.after(lambda: hidden.exists() and hidden.rename(UAFCTL))
    seat.press("Set up a passcode")
    seat.fields(1)
    seat.fill("AAAA-AAAA-AAAA-AAAA")
    seat.shows("uafctl is missing")
    seat.shows("Install the package libpam-uaf again")
    seat.picture("absent")
    hidden.rename(UAFCTL)
    seat.press("Done")
    seat.shows("Nothing is set up yet.")
    return f"told each time; without the server: {[text for text in gone if 'server' in text][:1]}"


@row(
    "window-second",
    "the program is started a second time",
    "refused; there is one window, and it stays",
    ("the person",),
    limit=LIMIT,
)
def second(lab):
    seat = screen(lab)
    status, said = seat.again()
    must(status == 1 and "already open" in said, f"{status}: {said}")
    frames = seat.names("frame")
    must(len(frames) == 1, f"windows: {frames}")
    # Also where the session has no bus that knows of the first.
    seat.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
    status, said = seat.again()
    must(status == 1 and "already open" in said, f"without a bus: {status}: {said}")
    must(seat.program.poll() is None, "the first window is gone")
    return "refused with and without a session bus"


@row("window-menu", "what menus, stores of programs and people read of the program", "both validators accept it", limit=LIMIT)
def menu(lab):
    needs_screen()
    share = pathlib.Path("/usr/share")
    lab.run("desktop-file-validate", share / "applications/pam_uaf.uafctl_gui.desktop")
    # The project has no domain of its own, so its id is not that of one.
    lab.run("appstreamcli", "validate", "--no-net", "--pedantic", "--override", "cid-desktopapp-is-not-rdns=info",
            share / "metainfo/pam_uaf.uafctl_gui.metainfo.xml")  # fmt: skip
    must("uafctl-gui" in lab.run("uafctl-gui", "--version").stdout, "no version")
    said = lab.run("uafctl-gui", "ABCD-EFGH", check=False)
    must(said.returncode == 2 and "ABCD" not in said.stdout, f"a code as an argument: {said.stdout}")
    said = lab.run("uafctl-gui", check=False)
    must(said.returncode == 1 and "root" in said.stdout, f"as root: {said.stdout}")
    return "valid; root and arguments are refused"
