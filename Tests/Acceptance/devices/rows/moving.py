"""Moves the key into the chip, out of it, and to a different chip; kills the move at each step."""

import pathlib
import shutil

from devices.chip import KEY, RECOVERY, SEALED, Chip, binding, is_in, keep_state, refused, sealed, tool, unsealed, use
from lab import hosts
from lab.listener import serve
from lab.machine import STATE
from lab.table import Skip, must, row

FILE = pathlib.Path("/root/recovery-key")


@row(
    "D1",
    "the chip holds the key: logins through a small PAM program, sudo and uafctl, and through the core's socket",
    "all let in",
    limit=180,
)
def logs_in(lab):
    _, person = sealed(lab)
    must(not list(STATE.glob(".device*")), "a file of the move is left")
    is_in(lab, person)
    must(not lab.login(person, "wrong-guess").is_in, "a wrong value was let in")
    must(binding(lab, person) == "tpm", "status does not say tpm")
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    hosts.ask_uaf(lab, "sudo")
    must(hosts.sudo(person, person.passcode).is_in, "sudo did not let in")
    serve(lab)
    asked = lab.run("uafctl", "authenticate", answers=person.passcode + "\n", user=person.uid, check=False)
    must(asked.returncode == 0, f"over the socket: {asked.stdout}")
    status, said = tool(lab, "doctor")
    must("sealed by the chip" in said, f"doctor ({status}) does not say what holds the key: {said}")
    return "let in three times; status --json says keyBinding tpm, doctor that the chip has sealed the key"


@row("D2", "uafctl unseal moves the key back into a file", "the account keeps working without the chip", limit=120)
def moves_back(lab):
    chip, person = sealed(lab)
    must(tool(lab, "unseal")[0] == 0, "unseal failed")
    chip.stop()
    is_in(lab, person)
    must(KEY.exists() and not SEALED.exists() and binding(lab, person) == "file", "the key is not in a file alone")
    return "let in with the chip taken away; status says file"


@row("D3", "the mainboard is replaced, and root has the recovery key", "recover seals the key with the new chip", limit=120)
def recovers(lab):
    FILE.unlink(missing_ok=True)
    lab.after(lambda: FILE.unlink(missing_ok=True))
    chip, person = sealed(lab, "--recovery-key", FILE)
    must(RECOVERY.exists() and FILE.stat().st_mode & 0o777 == 0o400, "no recovery key was written for root alone")
    chip.stop()
    new = Chip(lab)
    use(lab, new.place)
    refused(lab, person, "uafctl recover", "recover")
    must(tool(lab, "recover", answers="babab-" * 9 + "babab\n")[0] != 0, "other words were accepted")
    must(tool(lab, "recover", "--recovery-key", str(FILE))[0] == 0, "recover failed")
    is_in(lab, person)
    words = FILE.read_text().strip()
    must(words.encode() not in b"".join(path.read_bytes() for path in STATE.glob("device*")), "the words are in the state")
    return "refused before with a text that names uafctl recover, other words refused; let in afterwards"


@row(
    "D4",
    "the recovery key's file exists already, or the configuration does not use the chip",
    "nothing is overwritten or sealed",
    limit=60,
)
def keeps_files(lab):
    keep_state(lab)
    chip = Chip(lab)
    use(lab, chip.place)
    FILE.write_text("mine\n")
    lab.after(lambda: FILE.unlink(missing_ok=True))
    must(tool(lab, "seal", "--recovery-key", str(FILE))[0] != 0 and FILE.read_text() == "mine\n", "the file was overwritten")
    use(lab, chip.place, "off")
    FILE.unlink()
    must(tool(lab, "seal", "--recovery-key", str(FILE))[0] != 0 and not FILE.exists(), "a file was left by a refused seal")
    must(KEY.exists() and not SEALED.exists(), "sealed all the same")
    return "refused both times; the key is still in its file"


@row("D5", "seal, unseal and recover are killed at each of their system calls on files", "a login works after each", limit=400)
def killed(lab):
    if shutil.which("strace") is None:
        raise Skip("strace is not there")
    FILE.unlink(missing_ok=True)
    lab.after(lambda: FILE.unlink(missing_ok=True))
    _, person = unsealed(lab)
    killed = []
    must(tool(lab, "seal", "--recovery-key", str(FILE))[0] == 0, "seal failed")
    must(tool(lab, "recover", "--recovery-key", str(FILE))[0] == 0, "recover failed")
    commands = (["recover", "--recovery-key", str(FILE)], ["unseal"], ["seal"])
    for command in commands:
        for call in ("renameat", "unlinkat", "fsync"):
            for step in range(1, 6):
                _before(lab, command)
                if not _is_killed(lab, command, call, step):
                    break
                killed.append(f"{command[0]} {call} {step}")
                is_in(lab, person)
                # The leftovers of the killed move do not hinder the next move.
                lab.run("uafctl", *command, check=False)
                is_in(lab, person)
        must(tool(lab, *command)[0] in (0, 1), f"{command} is not possible afterwards")
    must(len(killed) >= 18, f"only these moves were killed: {killed}")
    return f"{len(killed)} moves were killed at a rename, a removal or a sync; every login worked, and so did the next move"


def _before(lab, command):
    """A person and a chip as before the command: the key is in a file for `seal`, and sealed for any other."""
    if command[0] == "seal":
        lab.run("uafctl", "unseal", check=False)
    else:
        lab.run("uafctl", "seal", check=False)


def _is_killed(lab, command, call, step):
    """Whether a command's core made this system call `step` times; strace kills it at the last one."""
    inject = f"--inject={call}:signal=SIGKILL:when={step}"
    trace = pathlib.Path("/tmp/move.trace")
    trace.unlink(missing_ok=True)
    strace = ["strace", "-f", "-q", "-o", trace, "-e", f"trace={call}", inject]
    lab.run(*strace, "uafctl", *command, check=False)
    return "killed by SIGKILL" in trace.read_text(errors="replace")
