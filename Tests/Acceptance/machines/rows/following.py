"""What happens to a workstation after it has joined: a policy, a lock, a loss, an older state."""

import json

from lab.table import must, row
from lab.waiting import until
from machines import network
from machines.office import DROP_INS, STATE, join
from machines.rows.joining import first_sudo
from packages import scene
from packages.machine import STEP
from packages.scene import LET_IN, PASSCODE

WRONG = "wrong-guess-1"
LONG = "plum-orchard-in-the-rain-7"


def lets_in(machine, value=PASSCODE):
    return LET_IN in scene.sudo(machine, "mina", value).text


def device(lab, machine):
    """The id by which the server knows a workstation."""
    return lab.machines()[machine.says("hostname").strip()]["device"]


def status(machine):
    return json.loads(machine.says("uafctl", "status", "mina", "--json").splitlines()[-1])


def as_mina(machine, *arguments, **options):
    return machine.run("runuser", "-u", "mina", "--", *arguments, **options)


@row(
    "M11",
    "a policy asks a group's machines for longer passcodes; "
    "root of one lets the server set [passcode], root of the other nothing",
    "the first gets the policy at its next login: it refuses a short new passcode, and sudo asks for a longer one; "
    "the other is as before",
)
def policy(lab):
    code = lab.join_code("--machines", "2", "--group", "lab")
    text = "[passcode]\nmin_length = 20\n"
    lab.server.write(f"{STATE}/lab.toml", text, 0o644)
    lab.administer("machine-policy", "set", f"{STATE}/lab.toml", "--group", "lab", "--reason", "longer passcodes")
    with lab.workstation() as follower, lab.workstation() as other:
        for machine in (follower, other):
            join(machine, code["payload"])
            first_sudo(lab, machine)
        follower.write(f"{DROP_INS}/60-follow.conf", '[policy]\nfollow = ["passcode"]\n')

        def has_come():
            must(lets_in(follower), "sudo does not let in")
            return "policy 1" in json.dumps(status(follower))

        until(has_come, "the policy, after a login", seconds=STEP)
        change = ("uafctl", "change", "passcode")
        short = as_mina(follower, *change, answers=f"{PASSCODE}\nplum-orchard-7\nplum-orchard-7\n", check=False)
        must(short.returncode != 0 and "20" in short.stdout, f"a short passcode: {short.stdout}")
        tried = as_mina(follower, "uafctl", "policy", "check", answers="plum-orchard-7\n", check=False)
        must(tried.returncode == 1 and "(the server's policy 1)" in tried.stdout, f"policy check: {tried.stdout}")
        long_enough = as_mina(follower, "uafctl", "policy", "check", answers=f"{LONG}\n", check=False)
        must(long_enough.returncode == 0, f"policy check of a value that both accept: {long_enough.stdout}")
        asked = scene.sudo(follower, "mina", PASSCODE, PASSCODE, LONG, LONG)
        must(LET_IN in asked.text, f"the passcode of before, and the new one that sudo asks for: {asked.text!r}")
        must(lets_in(follower, LONG), "the new passcode does not log in")
        must("policy 1" not in json.dumps(status(other)), "a machine whose root lends nothing has the policy")
        as_mina(other, *change, answers=f"{PASSCODE}\nplum-orchard-7\nplum-orchard-7\n")
        must(lets_in(other, "plum-orchard-7"), "the other machine refuses what it accepts by itself")

        def is_listed():
            must(lets_in(follower, LONG), "sudo does not let in")
            return lab.machines()[follower.says("hostname").strip()].get("policy") == 1

        until(is_listed, "the version in the server's list", seconds=STEP)
        told = next(line for line in short.stdout.splitlines() if "20" in line)
        return f"policy 1 came with a login; told of a short passcode: {told}"


@row(
    "M12",
    "mina is locked; the helpdesk unlocks her by a line and by 24 characters that are typed, on a machine without network",
    "each ends the lock once; used twice, on another machine or for another person it is refused, and she stays locked",
)
def unlocked(lab):
    with lab.workstation() as machine, lab.workstation() as other:
        payload = lab.join_code("--machines", "2")["payload"]
        for desk in (machine, other):
            join(desk, payload)
            first_sudo(lab, desk)
            lock(desk)
        given = json.loads(lab.says("unlock", "mina", "--machine", device(lab, machine), "--json"))
        network.unplug(machine, machine.number)
        machine.write("/home/mina/unlock", given["payload"] + "\n", 0o644)
        other.write("/home/mina/unlock", given["payload"] + "\n", 0o644)
        unlock = ("uafctl", "unlock", "--payload", "/home/mina/unlock")
        elsewhere = as_mina(other, *unlock, check=False)
        must(elsewhere.returncode == 1 and "different machine" in elsewhere.stdout, elsewhere.stdout)
        strangers = machine.run("runuser", "-u", "otto", "--", *unlock, check=False)
        must(strangers.returncode == 1, strangers.stdout)
        typed = as_mina(machine, "uafctl", "unlock", "--code", answers=given["codes"][0]["code"] + "\n")
        network.plug(machine, machine.number)
        must(lets_in(machine), f"after the unlock sudo does not let in: {typed.stdout}")
        lock(machine)
        again = as_mina(machine, *unlock, check=False)
        must(again.returncode == 1 and "used already" in again.stdout, again.stdout)
        must(not lets_in(machine) and not lets_in(other), "an unlock that was refused has ended a lock")
        return "unlocked without network by 24 characters; refused: the line of the same unlock, another machine, another person"


def lock(machine):
    said = [scene.sudo(machine, "mina", WRONG).text for _ in range(6)]
    must(not lets_in(machine), f"six wrong entries do not lock: {said}")


@row(
    "M13",
    "a workstation is lost, and revoked in one step",
    "its keys log nobody in, it is not a known machine, and it joins no more with its code; the other one goes on",
)
def lost(lab):
    payload = lab.join_code("--machines", "3")["payload"]
    with lab.workstation() as machine, lab.workstation() as other:
        for desk in (machine, other):
            join(desk, payload)
            first_sudo(lab, desk)
        lab.administer("revoke", "--device", device(lab, machine), "--reason", "lost")
        must(not lets_in(machine), "sudo lets in on a revoked machine")
        refused = machine.run("uafctl", "check-in", check=False)
        must(refused.returncode != 0, f"a revoked machine checks in: {refused.stdout}")
        again = join(machine, payload, check=False)
        must(again.returncode != 0, f"a revoked machine joins again with its code: {again.stdout}")
        must(lets_in(other), "the other machine does not let in")
        return "revoked: sudo, check-in and joining again refused; the other machine let mina in"


@row(
    "M14",
    "the state of a workstation is restored from a copy of some logins ago, and repaired by the person",
    "refused with the command that helps; after uafctl repair with a code sudo lets in with the same passcode",
)
def restored(lab):
    with lab.workstation() as machine:
        join(machine, lab.join_code()["payload"])
        first_sudo(lab, machine)
        machine.run("cp", "-a", "/var/lib/pam-uaf", "/root/copy")
        for _ in range(3):
            must(lets_in(machine), "sudo does not let in")
        machine.run("sh", "-c", "rm -rf /var/lib/pam-uaf/* && cp -a /root/copy/. /var/lib/pam-uaf/")
        session = scene.sudo(machine, "mina", PASSCODE)
        must(LET_IN not in session.text and "uafctl repair" in session.text, f"sudo: {session.text!r}")
        machine.write("/home/mina/code", lab.says("enrol", "mina"), 0o600)
        machine.run("chown", "mina", "/home/mina/code")
        repair = ("uafctl", "repair", "--code", "/home/mina/code")
        wrong = as_mina(machine, *repair, answers=f"{WRONG}\n", check=False)
        must(wrong.returncode == 1, f"a wrong value repairs: {wrong.stdout}")
        as_mina(machine, *repair, answers=f"{PASSCODE}\n")
        must(lets_in(machine), "after the repair sudo does not let in")
        return "refused with the name of the command; repaired with code and passcode, and let in"
