"""GNOME's keyring after a login by passcode: when it is open, and when it stays locked."""

import pathlib

from attack import peer
from desktop.desk import DAEMON, PASSWORD, SECRET, SERVICE, STACK, UNLOCK
from lab.listener import serve
from lab.machine import STATE
from lab.table import must, row


def locked(lab, person, why, **options):
    """Logs in and expects that the keyring stays locked."""
    said = lab.desk.let_in(person, **options)
    must(not lab.desk.is_open(person), f"{why}: the keyring is open: {said}")


@row("opens", "a login by passcode at a greeter, with pam_gnome_keyring behind the module", "the keyring is open")
def opens(lab):
    desk = lab.desk
    person = desk.person(kept=False)
    desk.start_daemon(person)
    locked(lab, person, "before the password was kept")
    desk.keep(person)
    locked_before = desk.is_open(person)
    said = desk.let_in(person)
    must(not locked_before and desk.is_open(person), f"the keyring is locked: {said}")
    must(said.count("prompt ") == 1, f"prompts: {said}")
    return "locked before the password was kept; open after it, with one prompt"


@row("session", "the module of the keyring starts its daemon with the session", "the daemon begins with an open keyring")
def session(lab):
    desk = lab.desk
    person = desk.person()
    address = desk.environment(person)["DBUS_SESSION_BUS_ADDRESS"]
    ask = f"DBUS_SESSION_BUS_ADDRESS={address}; export DBUS_SESSION_BUS_ADDRESS; "
    ask += f"{DAEMON} --start --components=secrets >/dev/null; secret-tool lookup lab one"
    said = desk.let_in(person, command=ask)
    must(SECRET in said, f"the secret cannot be read: {said}")
    return "the secret is read in the session"


@row(
    "wrong", "a wrong passcode, a lock, and a right passcode that the server refuses", "the keyring stays locked", ("the person",)
)
def wrong(lab):
    desk = lab.desk
    person = desk.person()
    desk.start_daemon(person)
    for answer in ("wrong-guess", person.password, PASSWORD):
        said = desk.login(person, answer).stdout
        must("result auth 0" not in said and not desk.is_open(person), f"{answer} was taken: {said}")
    lab.run("uaf-server", "disable", person.name, "--reason", "lab", "--state", "/srv/uaf")
    said = desk.login(person, person.passcode).stdout
    must("result auth 0" not in said and not desk.is_open(person), f"open though the server refused: {said}")
    lab.run("uaf-server", "enable", person.name, "--state", "/srv/uaf")
    for number in range(5):
        desk.login(person, f"wrong-guess-{number}")
    said = desk.login(person, person.passcode).stdout
    must("result auth 0" not in said and not desk.is_open(person), f"open though locked: {said}")
    return "three wrong values, a disabled account, a lock: locked"


@row("remote", "the right passcode in a remote login", "the login succeeds, and the keyring stays locked", ("somebody remote",))
def remote(lab):
    desk = lab.desk
    person = desk.person()
    desk.start_daemon(person)
    locked(lab, person, "in a remote login", remote="203.0.113.7")
    desk.let_in(person)
    must(desk.is_open(person), "the same login at the machine does not open it")
    return "locked after the remote login, open after the same at the machine"


@row(
    "service",
    "services that are not in the list, and a host that a person has called",
    "the login succeeds, and the keyring stays locked",
    ("a local user", "the person"),
)
def service(lab):
    desk = lab.desk
    person = desk.person()
    desk.start_daemon(person)
    seen = []
    for name in ("sudo", "su", "sshd", "polkit-1", "uaf-own"):
        lab.stack(name, *STACK)
        locked(lab, person, name, service=name)
        seen.append(name)
    locked(lab, person, "a host that the person has called", caller=person)
    lab.configure(more=f"{UNLOCK}\nservices = ['uaf-own']")
    locked(lab, person, "a greeter that root has left out")
    desk.let_in(person, service="uaf-own")
    must(desk.is_open(person), "a service that root has listed does not open it")
    return f"locked through {', '.join(seen)} and a host with the person's real uid; open through the one that root listed"


@row("change", "the passcode is changed", "the new passcode opens the keyring, and the old one nothing")
def change(lab):
    desk = lab.desk
    person = desk.person()
    desk.start_daemon(person)
    lab.run("uafctl", "change", person.name, answers=f"{person.passcode}\nnew-kite-77\nnew-kite-77\n")
    said = desk.login(person, person.passcode).stdout
    must("result auth 0" not in said and not desk.is_open(person), f"the old passcode: {said}")
    desk.let_in(person, "new-kite-77")
    must(desk.is_open(person), "the new passcode does not open it")
    return "the old one is refused; the new one opens the keyring"


@row("reset", "the passcode is reset, and registered anew", "the password is gone, and uafctl has said so")
def reset(lab):
    desk = lab.desk
    person = desk.person()
    desk.start_daemon(person)
    said = lab.run("uafctl", "reset", person.name, check=False).stdout
    must("password of the keyring" in said, f"not told: {said}")
    lab.register(person)
    locked(lab, person, "after a reset")
    return "told; locked after the new registration"


@row("first", "the first login at a host that shows two prompts", "it asks once; later logins open the keyring without asking")
def first(lab):
    desk = lab.desk
    person = desk.person(kept=False)
    desk.start_daemon(person)
    lab.stack("login", *STACK)
    said = desk.let_in(person, person.passcode, PASSWORD, service="login")
    must(said.count("prompt ") == 2 and desk.is_open(person), f"the first login: {said}")
    other = desk.person(kept=False)
    desk.start_daemon(other)
    declined = desk.let_in(other, other.passcode, "", service="login")
    must("The password is not kept" in declined, f"declined: {declined}")
    again = desk.let_in(other, service="login")
    must(again.count("prompt ") == 1 and not desk.is_open(other), f"asked again: {again}")
    return "kept: open; declined: not asked again, and locked"


@row("set", "uafctl keyring set in the person's session, with a wrong and then the right password", "the wrong one is not kept")
def kept(lab):
    desk = lab.desk
    person = desk.person(kept=False)
    desk.start_daemon(person)
    answers = f"{person.passcode}\nnot the password\n{PASSWORD}\n"
    said = desk.own_uafctl(person, "keyring", "set", answers=answers)
    must(said.returncode == 0, f"not kept: {said.stdout}")
    must("does not open the keyring of this session" in said.stdout, f"the wrong one was not tried: {said.stdout}")
    must(desk.is_open(person), "trying the right one did not open the keyring")
    return "the daemon refused the first, and took the second"


@row(
    "outdated",
    "a kept password that does not open the keyring",
    "the login succeeds, the keyring stays locked, and nothing is lost",
    ("the person",),
)
def outdated(lab):
    desk = lab.desk
    person = desk.person(kept=False)
    desk.keep(person, "of another year")
    daemon = desk.start_daemon(person)
    locked(lab, person, "with an outdated password")
    desk.keep(person)
    desk.let_in(person)
    must(daemon.poll() is None and desk.is_open(person), "the right password does not open it afterwards")
    return "locked; open once the right one is kept"


@row(
    "peer",
    "a program of the person, and of another account, that connects to the core and says it takes the password",
    "refused: no packet of the core has it",
    ("the person", "a local user"),
)
def others(lab):
    desk = lab.desk
    person, other = desk.person(), lab.person()
    serve(lab)
    takes = peer.field(25, b"\1")
    for uid in (person.uid, other.uid):
        begin = peer.begin(1, version=5, service=SERVICE)
        messages = peer.converse(uid, begin + takes, peer.answer(person.passcode))
        must(messages, "the core said nothing")
        for kind, fields in messages:
            must(kind != 0x87, f"uid {uid} was given the password")
            must(PASSWORD.encode() not in b"".join(fields.values()), f"uid {uid} was given the password in a message")
        must(messages[-1][0] == peer.FINISHED and messages[-1][1][1] != b"\0", f"uid {uid} is in: {messages[-1]}")
        begin = peer.begin(1, version=4, service=SERVICE) + takes
        must(not any(kind == 0x87 for kind, _ in peer.converse(uid, begin)), "a field that version 4 does not have was read")
    return "refused for both, and in version 4"


@row(
    "traces", "what is on the disk and in the log after logins with a kept password", "no trace of the password", ("the machine",)
)
def traces(lab):
    desk = lab.desk
    mark = lab.log.mark()
    person = desk.person()
    desk.start_daemon(person)
    desk.let_in(person)
    must(desk.is_open(person), "the keyring is locked")
    found = [path for path in STATE.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    must(not found, f"in clear: {found}")
    told = [line for line in lab.log.since(mark) if PASSWORD in line or "Ring of" in line]
    must(not told, f"in the log: {told}")
    must(any("event=keyring " in line for line in lab.log.since(mark)), "no line of the log says that it was handed over")
    sizes = []
    for password in ("k", "k" * 512):
        lab.run("uafctl", "keyring", "set", person.name, answers=f"{person.passcode}\n{password}\n")
        sizes.append(pathlib.Path(person.state).stat().st_size)
    must(sizes[0] == sizes[1], f"the file's size tells the password's length: {sizes}")
    return "not in the state folder, not in the log; the file's size stays"
