"""The results of touching the sensor, and of typing at the same time."""

import pathlib

from fingerprint import seat
from lab import hosts
from lab.listener import serve
from lab.table import must, row
from lab.waiting import at_once

LIMIT = 150
NAMED = "auth required pam_uaf.so authenticator=fingerprint"
KOREAN = {"LC_ALL": "", "LANG": "ko_KR.UTF-8", "LANGUAGE": "C"}


def at_sudo(lab, **options):
    """Somebody who may use sudo, which asks for passcode or fingerprint."""
    person = lab.desk.person(**options)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    return person


def named(lab, person, result, during=None):
    """A login with the named fingerprint ends with this result; `during` runs once the sensor waits."""
    desk, mark = lab.desk, lab.log.mark()
    lab.stack("uaf-finger", NAMED, "account required pam_permit.so")
    process = hosts.start("uaf-finger", person.name)
    if during:
        desk.awaits_touch()
        during()
        # Enter would also end the wait.
        desk.awaits_end()
    login = hosts.finish(process, "")
    found = desk.finished(mark, person)
    must(login.code == hosts.AUTH_ERR and found == [str(result)], f"{login}, {found}")


def obstructed(lab, person, result, text):
    """A login with only the fingerprint ends with this result; sudo continues with the passcode, and says why the sensor is not
    used."""
    named(lab, person, result)
    lab.desk.let_in(person, person.passcode, says=text)


@row("match", "sudo: the enrolled finger, then Enter", "in, by the fingerprint's key; the sensor is given back", limit=LIMIT)
def match(lab):
    desk, mark = lab.desk, lab.log.mark()
    person = at_sudo(lab)
    desk.let_in(person, desk.touching(person), says="Touch the fingerprint sensor and press Enter, or enter:")
    lines = lab.log.since(mark, "event=authenticate")
    must(any("type=fingerprint" in line and "result=0 " in line for line in lines), f"the log: {lines[-3:]}")
    desk.awaits_release()
    return "in; event=authenticate result=0 type=fingerprint"


@row(
    "typed",
    "sudo: the passcode is typed while the sensor waits",
    "in, by the passcode; the sensor is given back",
    limit=LIMIT,
)
def typed(lab):
    desk, mark = lab.desk, lab.log.mark()
    person = at_sudo(lab)
    desk.let_in(person, desk.once_waiting(then=person.passcode))
    must(any("type=passcode" in line for line in lab.log.since(mark, "event=authenticate")), "another type than the passcode")
    desk.awaits_release()
    return "in by the passcode"


@row(
    "wrong-typed",
    "sudo: a wrong passcode is typed after the finger matched",
    "in: what is typed after a match is not looked at",
    limit=LIMIT,
)
def wrong_typed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    before = desk.entry(person, "passcode")["remainingTries"]
    desk.let_in(person, desk.touching(person, then="wrong-passcode"))
    must(desk.entry(person, "passcode")["remainingTries"] == before, "the entry was counted")
    return "in, and the passcode's count is as before"


@row(
    "no-match",
    "sudo: a stranger's finger once, then the passcode",
    "one try fewer for the fingerprint, none for the passcode; in by the passcode",
    limit=LIMIT,
)
def no_match(lab):
    desk = lab.desk
    person = at_sudo(lab)
    desk.let_in(person, lambda: desk.touch_wrongly(person, then=person.passcode))
    tries = desk.entry(person)["remainingTries"], desk.entry(person, "passcode")["remainingTries"]
    must(tries == (4, 5), f"tries left: {tries}")
    return f"in; tries left: {tries[0]} for the fingerprint, {tries[1]} for the passcode"


@row(
    "exhausted",
    "sudo: a stranger's finger as often as one call allows, then Enter",
    "the same call asks for the passcode, and says why",
    limit=LIMIT,
)
def exhausted(lab):
    desk = lab.desk
    person = at_sudo(lab, biometric="require_tpm = false\nmax_tries = 2")
    desk.let_in(person, lambda: desk.touch_wrongly(person, 2), person.passcode, says="Biometry did not recognise you.")
    return "in by the passcode; told that no finger was recognised"


@row("enter", "sudo: Enter, and nobody touches the sensor", "the passcode is asked for in the same call", limit=LIMIT)
def enter(lab):
    desk = lab.desk
    person = at_sudo(lab)
    session = desk.let_in(person, "", person.passcode)
    must(session.text.count("Passcode for") == 2, f"prompts: {session.text}")
    return "in, at the second prompt"


@row(
    "timeout",
    "sudo: nobody touches the sensor in time",
    "the core releases the sensor while the prompt is still open; the passcode lets in",
    limit=LIMIT,
)
def timeout(lab):
    desk = lab.desk
    person = at_sudo(lab, biometric="require_tpm = false\ntimeout = 5")

    def wait():
        # The prompt appears only once the sensor waits, or after five seconds. So the row does not check that the sensor waits.
        desk.awaits_end()
        desk.awaits_release()
        return person.passcode

    desk.let_in(person, wait)
    return "given back after 5 s; in by the passcode"


@row("cancel", "sudo: Ctrl-C while the sensor waits", "nobody is in, nothing is counted, the sensor is given back", limit=LIMIT)
def cancel(lab):
    desk = lab.desk
    person = at_sudo(lab)
    must(not hosts.sudo(person, desk.once_waiting(then=hosts.INTERRUPT)).is_in, "in")
    desk.awaits_release()
    must(desk.entry(person)["remainingTries"] == 5, "something was counted")
    return "not in; 5 tries left; the sensor is free"


@row(
    "too-short",
    "sudo: a swipe that is too short, then the enrolled finger",
    "no comparison was made: not counted; in",
    limit=LIMIT,
)
def too_short(lab):
    desk = lab.desk
    person = at_sudo(lab)
    desk.let_in(person, desk.once_waiting(lambda: desk.send("RETRY 1"), desk.touching(person)))
    must(desk.entry(person)["remainingTries"] == 5, "it was counted")
    return "in; nothing counted"


@row("su", 'su, which shows notices, with mode = "first"', "in by the touch alone: no prompt, no Enter", limit=LIMIT)
def su(lab):
    desk = lab.desk
    person = desk.person(biometric='require_tpm = false\nmode = "first"')
    hosts.ask_uaf(lab, "su")
    session, _ = at_once(lambda: hosts.su(person, person), desk.touching(person))
    must(session.is_in, f"not in: {session.text}")
    must("Touch the fingerprint sensor.\n" in session.text and "Passcode" not in session.text, f"shown: {session.text}")
    return "in, without a prompt"


@row(
    "first-fails",
    'su with mode = "first": one swipe that is too short, then only strangers\' fingers',
    "told each time; then the passcode is asked for",
    limit=LIMIT,
)
def first_fails(lab):
    desk = lab.desk
    person = desk.person(biometric='require_tpm = false\nmode = "first"\nmax_tries = 2')
    hosts.ask_uaf(lab, "su")

    def touches():
        desk.awaits_touch()
        desk.send("RETRY 1")
        desk.touch_wrongly(person, 2)

    session, _ = at_once(lambda: hosts.su(person, person, person.passcode), touches)
    must(session.is_in, f"not in: {session.text}")
    for said in ("The swipe was too short: try again.", "That finger was not recognised", "Biometry did not recognise you."):
        must(said in session.text, f"not told {said!r}: {session.text}")
    return "in by the passcode"


@row(
    "alone",
    "the fingerprint named by the stack: match, and no match",
    "the right finger lets in; with another one 7004, even if the passcode is entered",
    limit=LIMIT,
)
def alone(lab):
    desk = lab.desk
    person = desk.person(biometric="require_tpm = false\nmax_tries = 1")
    lab.stack("uaf-finger", NAMED, "account required pam_permit.so")
    process = hosts.start("uaf-finger", person.name)
    desk.touch(desk.finger(person))
    right = hosts.finish(process, "")
    must(right.is_in, f"not in: {right.text}")
    mark = lab.log.mark()
    process = hosts.start("uaf-finger", person.name)
    desk.touch_wrongly(person)
    wrong = hosts.finish(process, person.passcode)
    must(wrong.code == hosts.AUTH_ERR and desk.finished(mark, person) == ["7004"], f"{wrong}, {desk.finished(mark, person)}")
    return "in; then 7004 (PAM_AUTH_ERR)"


@row("lock", "strangers' fingers until the lock", "7005 for the fingerprint; the passcode is not locked", limit=LIMIT)
def lock(lab):
    desk = lab.desk
    person = at_sudo(lab, lock="retry_count_to_lock = 2\nlock_time = 300\nmax_lock_count = 3")
    mark = lab.log.mark()
    desk.let_in(person, lambda: desk.touch_wrongly(person, 2), person.passcode)
    must(any("event=lock " in line and "type=fingerprint" in line for line in lab.log.since(mark)), "no line of the lock")
    entry = desk.entry(person)
    must(entry["state"] == 3008, f"state {entry}")
    mark = lab.log.mark()
    lab.stack("uaf-finger", NAMED, "account required pam_permit.so")
    named = lab.login(person, "", "uaf-finger")
    must(named.code == hosts.AUTH_ERR and desk.finished(mark, person) == ["7005"], f"{named}")
    desk.let_in(person, person.passcode, says="Biometry is locked.")
    return "3008 and 7005; in by the passcode, told that biometry is locked"


@row("two", "two logins at once", "the second is told that the sensor is in use, and goes on with the passcode", limit=LIMIT)
def two(lab):
    desk = lab.desk
    person = at_sudo(lab)

    def second():
        desk.let_in(person, person.passcode, says="Biometry cannot be used now.")

    desk.let_in(person, desk.once_waiting(second, desk.touching(person)))
    return "both in: one by the finger, one by the passcode"


@row("ssh", "a login by sshd", "the sensor is never used, whatever the account has registered", limit=LIMIT)
def ssh(lab):
    desk = lab.desk
    person = desk.person()
    hosts.ask_uaf(lab, "sshd")
    hosts.sshd(lab)
    waited = []

    def type_it():
        waited.append(desk.is_waiting())
        return person.passcode

    session = hosts.ssh(person.name, type_it)
    must(session.is_in and waited == [False], f"waited {waited}: {session.text}")
    must("inger" not in session.text, f"told of a sensor: {session.text}")
    mark = lab.log.mark()
    lab.stack("uaf-finger", NAMED, "account required pam_permit.so")
    afar = lab.login(person, "", "uaf-finger", remote="203.0.113.7")
    must(not afar.is_in, "in from afar")
    return f"in by the passcode, no sensor; named from afar: {desk.finished(mark, person)}"


@row("afar", "a remote login by a stack that names the fingerprint, with hide_state = false", "7012", limit=LIMIT)
def afar(lab):
    desk = lab.desk
    person = desk.person(general="[general]\nhide_state = false")
    mark = lab.log.mark()
    lab.stack("uaf-finger", NAMED, "account required pam_permit.so")
    login = lab.login(person, "", "uaf-finger", remote="203.0.113.7")
    must(login.code == hosts.AUTH_ERR and desk.finished(mark, person) == ["7012"], f"{login}, {desk.finished(mark, person)}")
    return "7012 (PAM_AUTH_ERR)"


@row(
    "seat",
    "sudo in a session that is unknown to logind, remote, in the background, without a seat, or another account's",
    "7012 if the stack names the fingerprint; else sudo asks for the passcode only; back at the seat, the finger lets in",
    limit=LIMIT,
)
def in_another_session(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(seat.sit_down)
    elsewhere = {
        "without a record": seat.leave,
        "from afar": lambda: seat.sit_down(REMOTE="1"),
        "in the background": lambda: seat.sit_down(ACTIVE="0"),
        "without a seat": lambda: seat.sit_down(SEAT=""),
        "of another account": lambda: seat.sit_down(UID=str(person.uid)),
    }
    for what, begin in elsewhere.items():
        begin()
        named(lab, person, 7012)
        waited = []

        def type_it(waited=waited):
            waited.append(desk.is_waiting())
            return person.passcode

        session = hosts.sudo(person, type_it)
        must(session.is_in and waited == [False], f"{what}: waited {waited}: {session.text}")
    seat.sit_down()
    desk.let_in(person, desk.touching(person))
    return f"{', '.join(elsewhere)}: 7012, in by the passcode; in by the finger at the seat"


@row(
    "set",
    "the server wants passcode AND fingerprint",
    "both are registered together; both let in, one alone does not",
    limit=LIMIT,
)
def both(lab):
    desk = lab.desk
    policy = "/srv/policy-both.json"
    with open(policy, "w") as file:
        file.write('{"accepted": [["passcode", "fingerprint"]]}')
    authority = pathlib.Path("/etc/ssl/uaf-ca.pem")
    before = authority.read_bytes()
    lab.after(lambda: authority.write_bytes(before))
    lab.start_server("/srv/uaf-both", 8444, ("--policy", policy))
    desk.start_service()
    desk.configure(port=8444)
    person = lab.person(registered=False)
    desk.enrol(person)
    payload = lab.payload(person, "/srv/uaf-both")

    def register():
        return lab.run("uafctl", "register", person.name, "--payload", payload, answers=f"{person.passcode}\n" * 2, check=False)

    said, _ = at_once(register, desk.touching(person))
    must(said.returncode == 0, f"not registered: {said.stdout}")
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    desk.let_in(person, desk.touching(person), person.passcode)
    desk.let_in(person, person.passcode, desk.touching(person))
    half = hosts.sudo(person, desk.touching(person), "wrong-passcode")
    must(not half.is_in, "in by the finger alone")
    return "in by both in either order; not in by the finger and a wrong passcode"


@row("korean", "sudo in Korean", "prompt and reasons in Korean", limit=LIMIT)
def korean(lab):
    desk = lab.desk
    person = at_sudo(lab, biometric="require_tpm = false\nmax_tries = 1")
    session = desk.let_in(person, lambda: desk.touch_wrongly(person), person.passcode, environment=KOREAN)
    for said in ("지문 센서에 손가락을 대고 Enter를 누르거나 입력하십시오.", "생체 인식에 실패했습니다."):
        must(said in session.text, f"not told {said}: {session.text}")
    return "in; both texts in Korean"


@row(
    "json",
    "uafctl authenticate --json-conversation",
    "one challenge whose text names the sensor; an empty answer takes the match",
    limit=LIMIT,
)
def in_json(lab):
    desk = lab.desk
    person = desk.person()
    serve(lab)
    answer = desk.touching(person, then='{"answer":""}')
    session = hosts.terminal(["uafctl", "authenticate", "--json-conversation"], [answer], ends=(b"}\r\n",), uid=person.uid)
    lines = [line for line in session.text.splitlines() if line.startswith("{")]
    must(any('"type":"success"' in line for line in lines), f"{session.text}")
    desk.awaits_release()
    return lines[-1][:60]
