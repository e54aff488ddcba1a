"""Obstacles to a fingerprint login: each has a result and a text, and leaves the passcode usable."""

import os
import pathlib
import shutil
import subprocess

from fingerprint.desk import LEFT, PRINTS
from fingerprint.rows.touching import LIMIT, at_sudo, named, obstructed
from lab import hosts
from lab.listener import serve
from lab.table import must, row


@row(
    "error",
    "the sensor fails in the middle",
    "7015 if the stack names the fingerprint; else the person can go on with the passcode",
    limit=LIMIT,
)
def error(lab):
    desk = lab.desk
    person = at_sudo(lab)
    named(lab, person, 7015, lambda: desk.send("ERROR 4"))
    fail = desk.once_waiting(lambda: desk.send("ERROR 4"), desk.awaits_end, desk.awaits_release)
    desk.let_in(person, fail, person.passcode, says="Biometry failed for an unknown reason.")
    return "7015; in by the passcode"


@row(
    "unplugged",
    "the sensor is unplugged in the middle, and stays away",
    "the passcode still lets in; 7008 from then on",
    limit=LIMIT,
)
def unplugged(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(desk.restart_service)
    desk.let_in(person, desk.once_waiting(lambda: desk.send("UNPLUG"), desk.awaits_end, then=person.passcode))
    obstructed(lab, person, 7008, "This machine has no biometry.")
    status = lab.status(person)
    must(status["availableTypes"] == 4 and desk.entry(person)["state"] == 3005, f"{status}")
    return "in by the passcode; 7008; 3005, and availableTypes without the fingerprint"


@row("missing", "fprintd is not there", "7008; the passcode still lets in; nothing is offered for registration", limit=LIMIT)
def missing(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(desk.start_service)
    desk.stop_service()
    obstructed(lab, person, 7008, "This machine has no biometry.")
    said = desk.register(lab.person(), touches=False)
    must(said.returncode != 0 and "This machine has no biometry." in said.stdout, f"{said}")
    return "7008 at login and registration; in by the passcode"


@row(
    "killed",
    "fprintd is killed in the middle, and started again",
    "7015; nobody is in; the passcode still lets in; the next touch counts again",
    limit=LIMIT,
)
def killed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    named(lab, person, 7015, desk.restart_service)
    desk.let_in(person, desk.once_waiting(desk.restart_service, then=person.passcode))
    desk.let_in(person, desk.touching(person))
    return "7015; in by the passcode; in by the finger after the restart"


@row("program", "uaf-finger cannot be started", "7013; the passcode still lets in", limit=LIMIT)
def program(lab):
    person = at_sudo(lab)
    path = pathlib.Path("/usr/libexec/pam-uaf/uaf-finger")
    kept = path.with_name("kept")
    path.rename(kept)
    lab.after(lambda: kept.rename(path))
    obstructed(lab, person, 7013, "Biometry cannot be used now.")
    return "7013; in by the passcode"


@row("refused", "polkit refuses: the rule file is not there", "7013; the passcode still lets in", limit=LIMIT)
def refused(lab):
    person = at_sudo(lab)
    flag = pathlib.Path("/run/polkit-refuses")
    flag.touch()
    lab.after(lambda: flag.unlink(missing_ok=True))
    obstructed(lab, person, 7013, "Biometry cannot be used now.")
    return "7013; in by the passcode"


@row("busy", "another program has claimed the sensor", "7013; the passcode still lets in", limit=LIMIT)
def busy(lab):
    desk = lab.desk
    person = at_sudo(lab)
    other = subprocess.Popen(["fprintd-verify", person.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lab.after(lambda: (other.kill(), other.wait()))
    desk.awaits_touch()
    obstructed(lab, person, 7013, "Biometry cannot be used now.")
    return "7013; in by the passcode"


@row("no-finger", "the person's prints were removed", "7006; the passcode still lets in", limit=LIMIT)
def no_finger(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.run("fprintd-delete", person.name)
    obstructed(lab, person, 7006, "No biometry is enrolled.")
    must(desk.entry(person)["biometry"] == 7006, f"{desk.entry(person)}")
    said = desk.register(lab.person(), touches=False)
    must(said.returncode != 0 and "No biometry is enrolled." in said.stdout, f"{said}")
    return "7006 at login, in the status, and for somebody without prints; in by the passcode"


@row("changed", "another finger is enrolled", "7001 until the passcode was entered; then the finger again", limit=LIMIT)
def changed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    must(desk.entry(person)["biometry"] == 7000, f"before: {desk.entry(person)}")
    desk.enrol(person, LEFT)
    must(desk.entry(person)["biometry"] == 7001, f"after: {desk.entry(person)}")
    obstructed(lab, person, 7001, "The enrolled biometry has changed.")
    must(desk.entry(person)["biometry"] == 7000, f"not accepted: {desk.entry(person)}")
    desk.let_in(person, desk.touching(person))
    return "7000, 7001, told and 7000 again after the passcode; in by the finger"


@row(
    "wrong-then-changed",
    "another finger is enrolled, and a wrong passcode is entered",
    "still 7001: only the right passcode accepts it",
    limit=LIMIT,
)
def wrong_then_changed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    desk.enrol(person, LEFT)
    must(not hosts.sudo(person, "wrong-passcode").is_in, "in by a wrong passcode")
    must(desk.entry(person)["biometry"] == 7001, f"accepted: {desk.entry(person)}")
    return "7001"


@row(
    "unbound",
    "another finger is enrolled, with invalidate_on_new_biometrics = false",
    "the new finger lets in; the status shows 7002, since changes of the prints go unnoticed",
    limit=LIMIT,
)
def unbound(lab):
    desk = lab.desk
    person = at_sudo(lab, biometric="require_tpm = false\ninvalidate_on_new_biometrics = false")
    must(desk.entry(person)["biometry"] == 7002, f"{desk.entry(person)}")
    desk.enrol(person, LEFT)
    desk.let_in(person, desk.touching(person))
    return "7002; in by the finger"


@row("unreadable", "the file of the stored prints no longer belongs to root", "7003; the passcode still lets in", limit=LIMIT)
def unreadable(lab):
    desk = lab.desk
    person = at_sudo(lab)
    os.chown(PRINTS / person.name, person.uid, person.uid)
    must(desk.entry(person)["biometry"] == 7003, f"{desk.entry(person)}")
    obstructed(lab, person, 7003, "The state of biometry could not be read.")
    return "7003; in by the passcode"


@row("copied", "somebody else's prints replace the person's", "7001: the key does not open with them", limit=LIMIT)
def copied(lab):
    desk = lab.desk
    person, other = at_sudo(lab), lab.person()
    desk.enrol(other)
    shutil.rmtree(PRINTS / person.name)
    shutil.copytree(PRINTS / other.name, PRINTS / person.name)
    lab.after(lambda: shutil.rmtree(PRINTS / other.name, ignore_errors=True))
    named(lab, person, 7001)
    return "7001"


@row(
    "chip",
    "there is no chip, and require_tpm = false is not set",
    "7013; the status is 3005, so the fingerprint is not offered",
    limit=LIMIT,
)
def chip(lab):
    desk = lab.desk
    person = at_sudo(lab)
    must(desk.entry(person)["keyProtection"] == "software", f"{desk.entry(person)}")
    desk.configure(biometric="")
    obstructed(lab, person, 7013, "Biometry cannot be used now.")
    must(desk.entry(person)["state"] == 3005, f"{desk.entry(person)}")
    return "7013; 3005; with require_tpm = false the status says software"


@row("no-passcode", "somebody without a passcode registers a fingerprint", "7007", limit=LIMIT)
def no_passcode(lab):
    desk = lab.desk
    desk.start_service()
    desk.configure()
    person = lab.person(registered=False)
    desk.enrol(person)
    said = desk.register(person, touches=False)
    must(said.returncode != 0 and "Biometry needs a passcode first." in said.stdout, f"{said}")
    return "7007"


@row(
    "operations",
    "the person changes, root resets, and the person deregisters a fingerprint",
    "7113; 7103; deregistered once the passcode was entered",
    limit=LIMIT,
)
def operations(lab):
    desk = lab.desk
    person = desk.person()
    serve(lab)
    as_person = ("setpriv", "--reuid", str(person.uid), "--regid", str(person.uid), "--clear-groups")
    mark = lab.log.mark()
    changing = lab.run(*as_person, "uafctl", "change", "fingerprint", answers="", check=False)
    resetting = lab.run("uafctl", "reset", person.name, "fingerprint", answers="", check=False)
    lines = lab.log.since(mark, "event=reset")
    for result in ("result=7113", "result=7103"):
        must(any(result in line for line in lines), f"no {result}: {lines}, {changing.stdout}, {resetting.stdout}")
    done = lab.run(*as_person, "uafctl", "deregister", "fingerprint", answers=f"{person.passcode}\n", check=False)
    must(done.returncode == 0, f"not deregistered: {done.stdout}")
    must(desk.entry(person)["state"] == 3007 and desk.entry(person, "passcode")["state"] == 3006, f"{lab.status(person)}")
    return "7113; 7103; deregistered, and the passcode stays"


@row(
    "word",
    "a person registers the fingerprint, authorised by the passcode",
    "registered after the passcode and a touch",
    limit=LIMIT,
)
def word(lab):
    desk = lab.desk
    person = desk.person(registered=False)
    serve(lab)

    def touch():
        desk.awaits_touch()
        desk.send(f"SCAN {desk.finger(person)}")
        return ""

    command = ["uafctl", "register", "fingerprint"]
    process = subprocess.Popen(
        ["setpriv", "--reuid", str(person.uid), "--regid", str(person.uid), "--clear-groups", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if process.stdin:
        process.stdin.write(f"{person.passcode}\n")
        process.stdin.flush()
    touch()
    said = process.communicate(timeout=60)[0]
    must(process.returncode == 0, f"not registered: {said}")
    must(desk.entry(person)["state"] == 3006, f"{desk.entry(person)}")
    return "registered: 3006"
