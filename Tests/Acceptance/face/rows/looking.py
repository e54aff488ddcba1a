"""A face beside a typed value: right and wrong of both, counts, locks, and what root can change."""

import pathlib
import subprocess

from fingerprint import seat

from face.desk import NO_MATCH
from lab import hosts
from lab.listener import serve
from lab.table import must, row
from lab.waiting import at_once

LIMIT = 150
ONCE = "require_tpm = false\nmax_tries = 1"


def at_sudo(lab, **options):
    """Somebody who may use sudo, which asks pam_uaf."""
    person = lab.desk.person(**options)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    return person


def tries(desk, person):
    """How many tries are left for the face and for the passcode."""
    return desk.entry(person)["remainingTries"], desk.entry(person, "passcode")["remainingTries"]


@row(
    "right-right",
    "a stack that names the face: the right passcode, and then the right face",
    "in, by the face's key; the camera is used only after the passcode, and given back",
    limit=LIMIT,
)
def right_right(lab):
    desk, mark = lab.desk, lab.log.mark()
    person = desk.person()
    login, found = desk.log_in(person, desk.show)
    must(login.is_in and found == ["0"], f"{login}, {found}")
    lines = [line for line in lab.log.since(mark, "event=authenticate") if f"account={person.name}" in line]
    must(any("face" in line and "result=0 " in line for line in lines), f"the log: {lines}")
    desk.awaits_release()
    return "in; the log names passcode and face"


@row(
    "wrong-right",
    "the wrong passcode, before the right face could be shown",
    "3012: the camera is not used; only the passcode's count grows",
    ("a local user",),
    LIMIT,
)
def wrong_right(lab):
    desk = lab.desk
    person = desk.person()
    before = tries(desk, person)
    states = []
    desk.refused(person, 3012, lambda: states.append(desk.is_waiting()), passcode="wrong-passcode")
    left = tries(desk, person)
    must(left == (before[0], before[1] - 1) and states == [False], f"{before}, {left}, {states}")
    return "3012; one try fewer for the passcode, none for the face"


@row(
    "right-wrong",
    "the right passcode, and then a stranger's face",
    "7004: nobody is in; only the face's count grows",
    ("a local user",),
    LIMIT,
)
def right_wrong(lab):
    desk = lab.desk
    person = desk.person(biometric=ONCE)
    before = tries(desk, person)
    desk.refused(person, 7004, lambda: desk.show(NO_MATCH))
    left = tries(desk, person)
    must(left == (before[0] - 1, before[1]), f"{before}, {left}")
    return "7004; one try fewer for the face, none for the passcode"


@row("too-many", "a stranger's face as often as one call allows", "7004, and the camera is given back", limit=LIMIT)
def too_many(lab):
    desk = lab.desk
    person = desk.person(biometric="require_tpm = false\nmax_tries = 2")
    desk.refused(person, 7004, lambda: desk.show_stranger(person), lambda: desk.show(NO_MATCH))
    desk.awaits_release()
    must(desk.entry(person)["remainingTries"] == 3, f"{desk.entry(person)}")
    return "7004 after two; 3 tries left"


@row(
    "unreadable",
    "a face that could not be read, then the right one",
    "no comparison was made: not counted; in",
    limit=LIMIT,
)
def unreadable(lab):
    desk = lab.desk
    person = desk.person(biometric=ONCE)
    login, found = desk.log_in(person, lambda: desk.show("verify-retry-scan"), desk.show)
    must(login.is_in and desk.entry(person)["remainingTries"] == 5, f"{login}, {found}, {desk.entry(person)}")
    return "in; nothing counted"


@row(
    "lock",
    "strangers' faces until the lock",
    "7005, and then 7005 before the passcode is asked for; the passcode is not locked",
    limit=LIMIT,
)
def lock(lab):
    desk = lab.desk
    person = at_sudo(lab, lock="retry_count_to_lock = 2\nlock_time = 300\nmax_lock_count = 3")
    mark = lab.log.mark()
    desk.refused(person, 7005, lambda: desk.show_stranger(person), lambda: desk.show(NO_MATCH))
    must(any("event=lock " in line and "type=face" in line for line in lab.log.since(mark)), "no line of the lock")
    must(desk.entry(person)["state"] == 3008, f"{desk.entry(person)}")
    again = desk.refused(person, 7005)
    must("Passcode for" not in again.text, f"asked for the passcode: {again.text}")
    desk.let_in(person, person.passcode)
    return "7005 and 3008; 7005 without a prompt; in at sudo by the passcode"


@row("unnamed", "sudo, which names no type", "the passcode is enough for the server: the camera is not used", limit=LIMIT)
def unnamed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    session = desk.let_in(person, lambda: (must(not desk.is_waiting(), "the camera waits"), person.passcode)[1])
    must("camera" not in session.text and "free" in desk.state(), f"{session.text}, {desk.state()}")
    return "in by the passcode"


@row(
    "set",
    "the server wants passcode AND face",
    "sudo asks for the passcode, and then for the face without a prompt; neither alone lets in",
    limit=LIMIT,
)
def both(lab):
    desk = lab.desk
    policy = "/srv/policy-face.json"
    pathlib.Path(policy).write_text('{"accepted": [["passcode", "face"]]}')
    authority = pathlib.Path("/etc/ssl/uaf-ca.pem")
    before = authority.read_bytes()
    lab.after(lambda: authority.write_bytes(before))
    lab.start_server("/srv/uaf-face", 8445, ("--policy", policy))
    desk.start_service()
    desk.configure(port=8445, biometric=ONCE)
    person = lab.person(registered=False)
    desk.enrol(person)
    payload = lab.payload(person, "/srv/uaf-face")

    def register():
        return lab.run("uafctl", "register", person.name, "--payload", payload, answers=f"{person.passcode}\n" * 2, check=False)

    said, _ = at_once(register, desk.show)
    must(said.returncode == 0, f"not registered: {said.stdout}")
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    for passcode, face, is_in in ((person.passcode, desk.show, True), (person.passcode, lambda: desk.show(NO_MATCH), False)):
        session, _ = at_once(lambda passcode=passcode: hosts.sudo(person, passcode), face)
        must(session.is_in == is_in, f"{session.text}")
    must(not hosts.sudo(person, "wrong-passcode").is_in and "free" in desk.state(), f"{desk.state()}")
    return "in by both; not by the passcode and a stranger's face, nor by a wrong passcode"


@row(
    "alone",
    "sudo with alone = true",
    "the camera waits beside the prompt, as a fingerprint sensor does; doctor warns",
    limit=LIMIT,
)
def alone(lab):
    desk = lab.desk
    person = at_sudo(lab, face="alone = true")
    desk.let_in(person, desk.show, says="Look at the camera and press Enter, or enter:")
    desk.let_in(person, lambda: (desk.awaits_face(), person.passcode)[1])
    said = lab.run("uafctl", "doctor", check=False).stdout
    must("[face-alone]" in said, f"doctor: {said}")
    return "in by the face alone, and by the passcode; face-alone"


@row(
    "no-fallback",
    "the service is away, and allow_value_as_fallback is not set",
    "7008: the right passcode is not enough for a stack that names the face",
    limit=LIMIT,
)
def no_fallback(lab):
    desk = lab.desk
    person = desk.person()
    lab.after(desk.start_service)
    desk.stop_service()
    desk.refused(person, 7008)
    return "7008"


@row(
    "fallback",
    "allow_value_as_fallback = true: the service is away, and a stranger's face",
    "in by the passcode, which is typed once; not by a wrong one",
    limit=LIMIT,
)
def fallback(lab):
    desk = lab.desk
    person = desk.person(biometric=f"{ONCE}\nallow_value_as_fallback = true")
    login, found = desk.log_in(person, lambda: desk.show(NO_MATCH))
    must(login.is_in and login.text.count("Passcode for") == 1, f"{login}, {found}")
    must("Biometry did not recognise you." in login.text, f"not told why: {login.text}")
    lab.after(desk.start_service)
    desk.stop_service()
    login, found = desk.log_in(person)
    must(login.is_in, f"{login}, {found}")
    desk.refused(person, 3012, passcode="wrong-passcode")
    return "in by the passcode after a stranger's face, and without a service; 3012 for a wrong passcode"


@row("afar", "a remote login by a stack that names the face, with hide_state = false", "7012, without a prompt", limit=LIMIT)
def afar(lab):
    desk = lab.desk
    person = desk.person(general="[general]\nhide_state = false")
    login = desk.refused(person, 7012, remote="203.0.113.7")
    must("Passcode for" not in login.text, f"asked: {login.text}")
    return "7012 (PAM_AUTH_ERR)"


@row("seat", "the same stack in a session that is remote, or in the background", "7012; back at the seat, in", limit=LIMIT)
def in_another_session(lab):
    desk = lab.desk
    person = desk.person()
    lab.after(seat.sit_down)
    for other in ({"REMOTE": "1"}, {"ACTIVE": "0"}):
        seat.sit_down(**other)
        desk.refused(person, 7012)
    seat.sit_down()
    login, found = desk.log_in(person, desk.show)
    must(login.is_in, f"{login}, {found}")
    return "7012 twice; in at the seat"


@row(
    "changed",
    "the templates are changed, and somebody else's replace them",
    "7001 before the passcode is asked for; the passcode changes nothing; a new registration lets in",
    ("a local user",),
    LIMIT,
)
def changed(lab):
    desk = lab.desk
    person, other = at_sudo(lab), lab.person()
    for template, of in (("two", person), ("one", other)):
        desk.enrol(of, template)
        pathlib.Path(f"/var/lib/face/{person.name}").write_text(f"{template} of {of.name}")
        login = desk.refused(person, 7001)
        must("uafctl register face" in login.text and "Passcode for" not in login.text, f"{login.text}")
        desk.let_in(person, person.passcode)
        must(desk.entry(person)["biometry"] == 7001, f"{desk.entry(person)}")
    serve(lab)
    as_person = ("setpriv", "--reuid", str(person.uid), "--regid", str(person.uid), "--clear-groups")
    gone = lab.run(*as_person, "uafctl", "deregister", "face", answers=f"{person.passcode}\n", check=False)
    must(gone.returncode == 0, f"not removed: {gone.stdout}")
    said = desk.register(person)
    must(said.returncode == 0, f"not registered again: {said.stdout}")
    login, found = desk.log_in(person, desk.show)
    must(login.is_in, f"{login}, {found}")
    return "7001 twice, also after the passcode; in after a new registration"


@row("not-roots", "the stored template belongs to somebody else than root", "7003", ("a local user",), LIMIT)
def not_roots(lab):
    desk = lab.desk
    person = desk.person()
    subprocess.run(["chown", person.name, f"/var/lib/face/{person.name}"], check=True)
    desk.refused(person, 7003)
    return "7003"


@row("no-passcode", "somebody without a passcode registers a face", "7007", limit=LIMIT)
def no_passcode(lab):
    desk = lab.desk
    desk.start_service()
    desk.configure()
    person = lab.person(registered=False)
    desk.enrol(person)
    said = desk.register(person, looks=False)
    must(said.returncode != 0 and "Biometry needs a passcode first." in said.stdout, f"{said}")
    return "7007"


@row("korean", "uafctl register face in Korean", "told in Korean to look at the camera", limit=LIMIT)
def korean(lab):
    desk = lab.desk
    person = desk.person(registered=False)
    command = ["uafctl", "register", person.name, "face", "--payload", lab.payload(person)]
    environment = {"PATH": "/usr/sbin:/usr/bin", "LANG": "ko_KR.UTF-8", "LC_ALL": "", "LANGUAGE": ""}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    desk.show()
    said = process.communicate(timeout=120)[0]
    must(process.returncode == 0 and "카메라를 보십시오." in said, f"{said}")
    return "registered, and told in Korean"
