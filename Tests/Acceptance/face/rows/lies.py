"""A face service that lies, hangs or ends, and programs that are not the face service."""

import os
import signal
import subprocess

from face.desk import NO_MATCH, OTHER, SERVICE
from face.rows.looking import LIMIT, ONCE
from lab.processes import running
from lab.table import must, row
from lab.waiting import until


@row(
    "users-own",
    "a face service of a user's own: the name is owned without root, and every face matches",
    "7015: nobody is in, although the passcode is right",
    ("a local user",),
    LIMIT,
)
def users_own(lab):
    desk = lab.desk
    person = desk.person()
    lab.after(desk.start_service)
    desk.stop_service()
    desk.lie("liar", uid=65534)
    until(lambda: desk.has_owner(SERVICE), "the liar")
    desk.refused(person, 7015)
    said = desk.register(lab.person(), looks=False)
    must(said.returncode != 0, f"registered: {said}")
    return "7015; and no registration"


@row(
    "signal",
    "another connection sends a match for the claimed camera",
    "ignored: the sender does not own the service's name",
    ("a local user",),
    LIMIT,
)
def foreign_signal(lab):
    desk = lab.desk
    person = desk.person(biometric=ONCE)
    desk.lie("signal", uid=65534)
    heard = subprocess.Popen(
        ["dbus-monitor", "--system", "type='signal',member='VerifyStatus'"], stdout=subprocess.PIPE, text=True
    )
    lab.after(lambda: (heard.kill(), heard.wait()))

    def wait():
        desk.awaits_face()
        seen = 0
        while seen < 4:
            seen += "verify-match" in (heard.stdout.readline() if heard.stdout else "")

    desk.refused(person, 7004, wait, lambda: desk.show(NO_MATCH))
    return "four forged matches were ignored; then a stranger's face: 7004"


@row(
    "other-camera",
    "the service reports a match of another camera, which somebody else has claimed",
    "ignored: it is for another account",
    limit=LIMIT,
)
def other_camera(lab):
    desk = lab.desk
    person = desk.person(biometric=ONCE)
    desk.refused(person, 7004, lambda: desk.show(camera=OTHER), lambda: desk.show(NO_MATCH))
    return "ignored; then a stranger's face: 7004"


@row(
    "unclaimed",
    "the service reports a match before the comparison was started",
    "ignored; nobody is in",
    limit=LIMIT,
)
def unclaimed(lab):
    desk = lab.desk
    person = desk.person(biometric=ONCE)
    desk.play("eager")
    desk.refused(person, 7004, lambda: desk.show(NO_MATCH))
    return "ignored; then a stranger's face: 7004"


@row(
    "seized",
    "another program of root's, which lies, takes over the service's name in the middle",
    "7015: nobody is in",
    ("root",),
    LIMIT,
)
def seized(lab):
    desk = lab.desk
    person = desk.person()
    lab.after(desk.start_service)
    desk.lie("seize")

    def seize():
        desk.awaits_face()
        lab.stop(desk.service)

    desk.refused(person, 7015, seize)
    return "7015"


@row("killed", "the service is killed in the middle, and started again", "7015; then the face counts again", limit=LIMIT)
def killed(lab):
    desk = lab.desk
    person = desk.person()
    desk.refused(person, 7015, desk.awaits_face, desk.restart_service)
    login, found = desk.log_in(person, desk.show)
    must(login.is_in, f"{login}, {found}")
    return "7015; in after the restart"


@row("hangs", "the service never answers one of its methods", "7015 within the time limit, for each of them", limit=LIMIT)
def hangs(lab):
    desk = lab.desk
    person = desk.person()
    lab.after(desk.restart_service)
    for method in ("GetDefaultDevice", "Claim", "VerifyStart"):
        desk.stop_service()
        desk.start_service("hang", method)
        desk.refused(person, 7015)
    return "7015 three times"


@row("silent", "nobody is before the camera", "7004 after timeout seconds; the camera is given back", limit=LIMIT)
def silent(lab):
    desk = lab.desk
    person = desk.person(biometric="require_tpm = false\ntimeout = 5")
    desk.refused(person, 7004, desk.awaits_face, desk.awaits_release)
    must(desk.entry(person)["remainingTries"] == 5, f"{desk.entry(person)}")
    return "7004 after 5 s; nothing counted"


@row("unplugged", "the camera is unplugged in the middle", "7013", limit=LIMIT)
def unplugged(lab):
    desk = lab.desk
    person = desk.person()
    desk.refused(person, 7013, lambda: desk.show("verify-disconnected"))
    return "7013"


@row("busy", "another login holds the camera", "7013 for the second, and the first is in", limit=LIMIT)
def busy(lab):
    desk = lab.desk
    person = desk.person()

    def second():
        desk.awaits_face()
        desk.refused(person, 7013)

    login, _ = desk.log_in(person, second, desk.show)
    must(login.is_in, f"{login}")
    return "7013; the first is in"


@row("finger-killed", "uaf-finger is killed in the middle", "7015: nobody is in", ("root", "the machine"), LIMIT)
def finger_killed(lab):
    desk = lab.desk
    person = desk.person()

    def kill():
        desk.awaits_face()
        for process in running("uaf-finger"):
            os.kill(process, signal.SIGKILL)

    desk.refused(person, 7015, kill)
    return "7015"


@row("nameless", "bus_name is taken out of the configuration", "7008; 3005; doctor warns", limit=LIMIT)
def nameless(lab):
    desk = lab.desk
    person = desk.person()
    lab.configure(more="[biometric]\nrequire_tpm = false\n", authenticators='["passcode", "face"]')
    desk.refused(person, 7008)
    must(desk.entry(person)["state"] == 3005, f"{desk.entry(person)}")
    said = lab.run("uafctl", "doctor", check=False).stdout
    must("[face-incomplete]" in said, f"doctor: {said}")
    return "7008; 3005; face-incomplete"


@row(
    "names",
    "names of a service that are not one, and fprintd's",
    "each is an error of the configuration: nobody is asked anything",
    ("root",),
    LIMIT,
)
def names(lab):
    desk = lab.desk
    person = desk.person()
    for name in ("net.reactivated.Fprint", "org.freedesktop.DBus", ":1.7", "face", "org.example.face-service"):
        service = f'[biometric]\nrequire_tpm = false\n[face]\nbus_name = "{name}"\n'
        lab.configure(more=service, authenticators='["passcode", "face"]')
        login, found = desk.log_in(person)
        must(not login.is_in and found == ["1001"] and "Passcode for" not in login.text, f"{name}: {login}, {found}")
    return "1001 for five names"
