"""Attackers that lie on the bus, kill a program, or put the machine to sleep; and the privileges of uaf-finger."""

import os
import pathlib
import signal
import subprocess

from fingerprint.rows.touching import LIMIT, at_sudo, named, obstructed
from lab import hosts
from lab.processes import running
from lab.table import must, row
from lab.waiting import until


@row(
    "liar",
    "another user's program owns fprintd's bus name, and says that every finger matches",
    "7015: nobody is in",
    ("a local user",),
    LIMIT,
)
def liar(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(desk.start_service)
    desk.stop_service()
    desk.lie("owner", uid=65534)
    until(lambda: desk.has_owner("net.reactivated.Fprint"), "the liar")
    obstructed(lab, person, 7015, "Biometry failed for an unknown reason.")
    return "7015; in by the passcode alone"


@row(
    "signal",
    "another connection sends a match for the claimed sensor",
    "ignored: the sender does not own fprintd's bus name",
    ("a local user",),
    LIMIT,
)
def foreign_signal(lab):
    desk = lab.desk
    person = at_sudo(lab)
    desk.lie("signal", uid=65534)
    heard = subprocess.Popen(
        ["dbus-monitor", "--system", "type='signal',member='VerifyStatus'"], stdout=subprocess.PIPE, text=True
    )
    lab.after(lambda: (heard.kill(), heard.wait()))

    def wait():
        desk.awaits_touch()
        seen = 0
        while seen < 4:
            seen += "verify-match" in (heard.stdout.readline() if heard.stdout else "")
        return ""

    session = hosts.sudo(person, wait, "wrong-passcode")
    must(not session.is_in, f"in by a forged signal: {session.text}")
    must(session.text.count("Passcode for") == 2, f"prompts: {session.text}")
    return "four forged matches, and the passcode is asked for"


@row(
    "seized",
    "another program of root's, which lies, takes over fprintd's bus name in the middle",
    "7015: nobody is in",
    ("root",),
    LIMIT,
)
def seized(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(desk.start_service)
    desk.lie("seize")

    def seize():
        desk.lab.stop(desk.service)
        until(lambda: desk.has_owner("net.reactivated.Fprint"), "the liar has the name")

    named(lab, person, 7015, seize)
    return "7015"


@row(
    "sandbox",
    "how the core runs uaf-finger",
    "as a user of its own, in a sandbox, without capabilities and without network",
    limit=LIMIT,
)
def sandboxed(lab):
    desk = lab.desk
    person = at_sudo(lab)
    seen: dict[str, object] = {}

    def look():
        desk.awaits_touch()
        found = [pathlib.Path(f"/proc/{process}") for process in running("uaf-finger")]
        must(len(found) == 1, f"programs: {found}")
        status = dict(line.split(":\t", 1) for line in (found[0] / "status").read_text().splitlines() if ":\t" in line)
        seen.update(uid=status["Uid"].split()[0], caps=status["CapPrm"], filter=status["Seccomp"], new=status["NoNewPrivs"])
        seen["network"] = os.readlink(found[0] / "ns/net") != os.readlink("/proc/self/ns/net")
        return desk.touch(desk.finger(person))

    desk.let_in(person, look)
    must(seen == {"uid": "60991", "caps": "0000000000000000", "filter": "2", "new": "1", "network": True}, f"{seen}")
    return f"{seen}"


@row(
    "finger-killed",
    "uaf-finger is killed in the middle",
    "7015: nobody is in; the passcode still lets in; the next touch counts again",
    ("root", "the machine"),
    LIMIT,
)
def finger_killed(lab):
    desk = lab.desk
    person = at_sudo(lab)

    def kill():
        for process in running("uaf-finger"):
            os.kill(process, signal.SIGKILL)

    named(lab, person, 7015, kill)
    end = desk.once_waiting(kill, desk.awaits_end)
    desk.let_in(person, end, person.passcode, says="Biometry failed for an unknown reason.")
    desk.let_in(person, desk.touching(person))
    return "7015; in by the passcode; in by the finger afterwards"


@row(
    "bus",
    "the system bus ends in the middle, and is started again",
    "7015: nobody is in; the passcode still lets in, also without a bus; the next touch counts again",
    ("root", "the machine"),
    LIMIT,
)
def bus_ends(lab):
    desk = lab.desk
    person = at_sudo(lab)
    lab.after(desk.start_bus)
    named(lab, person, 7015, desk.stop_bus)
    obstructed(lab, person, 7008, "This machine has no biometry.")
    desk.start_bus()
    desk.let_in(person, desk.touching(person))
    return "7015 in the middle; 7008 without a bus, and in by the passcode; in by the finger once the bus was back"


@row(
    "suspend",
    "the machine goes to sleep while the sensor waits, and wakes up",
    "the finger lets nobody in; the passcode does; the next touch counts once fprintd was started again",
    ("the machine",),
    LIMIT,
)
def suspend(lab):
    desk = lab.desk
    person = at_sudo(lab)
    desk.start_sleeper()
    named(lab, person, 7015, lambda: desk.sleep(True))
    desk.sleep(False)
    # fprintd 1.94 does not close a sensor that sleeps, and then cannot open it before it is started again.
    obstructed(lab, person, 7015, "Biometry failed for an unknown reason.")
    desk.restart_service()
    asleep = desk.once_waiting(lambda: desk.sleep(True), desk.awaits_end)
    desk.let_in(person, asleep, person.passcode, says="Biometry failed for an unknown reason.")
    desk.sleep(False)
    desk.restart_service()
    desk.let_in(person, desk.touching(person))
    return "7015, in the middle and after waking up; in by the passcode; in by the finger once fprintd was started again"
