"""The chip is missing, replaced, cleared, owned, locked, or eavesdropped on."""

import os
import pathlib
import shutil
import stat

from devices.chip import KEY, SEALED, UNSEAL, Between, Chip, is_in, refused, sealed, tool, unsealed, use
from lab import hosts
from lab.machine import STATE
from lab.table import Skip, must, row

# The usual storage key without noDA: the chip's lock applies to it.
GUARDED = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|restricted|decrypt"


@row(
    "D10",
    "the state folder is copied to a machine with another chip, or with none",
    "no login, whatever is entered; the text names uafctl recover",
    causes=("a local user", "root"),
    limit=120,
)
def copied(lab):
    chip, person = sealed(lab)
    other = Chip(lab)
    use(lab, other.place)
    refused(lab, person, "A different chip", "otherChip")
    chip.stop()
    use(lab, chip.place)
    refused(lab, person, "uafctl recover", "absent")
    must(not KEY.exists(), "a file with the key is there")
    return "refused with either; 1007, and a log line that names what is wrong"


@row("D11", "the chip was cleared, as its owner or the firmware can", "no login; the text says that it was cleared", limit=120)
def cleared(lab):
    chip, person = sealed(lab)
    chip.tool("clear", "-c", "p")
    refused(lab, person, "was cleared", "cleared")
    must(tool(lab, "unseal")[0] != 0 and SEALED.exists(), "unseal did something")
    return "refused, and unseal as well; what was sealed is kept"


@row(
    "D12",
    "another owner protects the chip's storage key, or its owner hierarchy, by a password",
    "refused with a text that says so",
    limit=120,
)
def owned(lab):
    chip, person = unsealed(lab)
    chip.provision(value="others")
    status, said = tool(lab, "seal")
    must(status != 0 and "different owner" in said and KEY.exists(), f"seal said: {said}")
    is_in(lab, person)
    chip.stop()
    chip, person = sealed(lab)
    chip.tool("changeauth", "-c", "o", "others")
    refused(lab, person, "different owner", "owned")
    chip.tool("changeauth", "-c", "o", "-p", "others")
    is_in(lab, person)
    return "seal refused and the file kept; a sealed machine refused until the owner gave way"


@row("D13", "the chip has a persistent storage key before the seal; or it gets one after a seal without it", "let in", limit=120)
def persistent(lab):
    chip, person = unsealed(lab)
    chip.provision()
    lab.run("uafctl", "seal")
    is_in(lab, person)
    chip.tool("evictcontrol", "-C", "o", "-c", "0x81000001")
    refused(lab, person, "was cleared", "cleared")
    chip.stop()
    lab.tidy()
    chip, person = sealed(lab)
    chip.provision(attributes=GUARDED)
    is_in(lab, person)
    return "sealed under 0x81000001 and let in; refused once that key was gone; another program's key there disturbs nothing"


@row("D14", "the chip disappears while the core uses it: between load and unseal", "refused, and the next login works", limit=120)
def lost(lab):
    chip, person = sealed(lab)
    between = Between(lab, chip, at=UNSEAL, does=chip.stop)
    use(lab, between.place)
    refused(lab, person, "disappeared", "lost")
    must(UNSEAL in between.commands, "the chip was not asked to unseal")
    chip.start()
    use(lab, chip.place)
    is_in(lab, person)
    return "refused with a text of its own; let in once the chip was back"


@row(
    "D15",
    "another program has the chip locked against guessing (0x921)",
    "if the lock applies to the storage key: refused, with a text that says so; with the usual storage key: let in",
    causes=("a local user",),
    limit=120,
)
def locked_out(lab):
    chip, person = sealed(lab)
    chip.lock()
    is_in(lab, person)
    chip.stop()
    lab.tidy()
    chip, person = unsealed(lab)
    chip.provision(attributes=GUARDED)
    lab.run("uafctl", "seal")
    chip.lock()
    refused(lab, person, "locked the chip", "0x921")
    return "let in under a storage key that is exempt; refused with 1007 and 0x921 in the log under one that is not"


@row(
    "D16",
    "a person's wrong values, up to the lock",
    "TPM_PT_LOCKOUT_COUNTER stays 0: nobody locks the disk's PIN or another person",
    causes=("the person", "somebody remote"),
    limit=120,
)
def counts_nothing(lab):
    chip, person = sealed(lab)
    other = lab.person()
    verdicts = [login.is_in for login in lab.guesses(person, 7)]
    must(not any(verdicts), "a guess was let in")
    must(chip.failures() == 0, f"the chip has counted {chip.failures()}")
    is_in(lab, other)
    return "seven wrong values; the chip has counted nothing, and another person was let in"


@row("D17", "somebody listens between the core and the chip", "neither the key nor the passcode passes", limit=120)
def listener(lab):
    chip, person = unsealed(lab)
    key = KEY.read_bytes()
    between = Between(lab, chip)
    use(lab, between.place)
    lab.run("uafctl", "seal")
    is_in(lab, person)
    passed = bytes(between.passed)
    must(UNSEAL in between.commands and len(passed) > 1000, f"too little passed: {len(passed)}")
    parts = [key[start : start + 8] for start in range(len(key) - 7)] + [person.passcode.encode()]
    must(not any(part in passed for part in parts), "part of the key or the passcode has passed in clear")
    return f"{len(passed)} bytes of sealing and a login; none of them the key's or the passcode's"


@row(
    "D18",
    "the core is not allowed to open the chip: its device is on a file system mounted nodev",
    "refused with a text that says so",
    limit=60,
)
def no_rights(lab):
    chip, person = sealed(lab)
    place = pathlib.Path("/tmp/nodev/tpmrm0")
    place.parent.mkdir(exist_ok=True)
    done = lab.run("mount", "-t", "tmpfs", "-o", "nodev", "nodev", place.parent, check=False)
    if done.returncode:
        raise Skip(f"no file system can be mounted: {done.stdout}")
    lab.after(lambda: lab.run("umount", place.parent))
    os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    use(lab, place)
    refused(lab, person, "lack of permission", "forbidden")
    use(lab, chip.place)
    is_in(lab, person)
    return "refused with a text of its own"


@row(
    "D19",
    "the sealed key is damaged, or others can read its file",
    "refused; the core looks for the key nowhere else",
    limit=60,
)
def damaged(lab):
    _, person = sealed(lab)
    whole = SEALED.read_bytes()
    SEALED.chmod(0o600)
    SEALED.write_bytes(whole[:-40] + bytes([whole[-40] ^ 1]) + whole[-39:])
    refused(lab, person, "chip (TPM)")
    SEALED.write_bytes(b"\x01nonsense")
    refused(lab, person, "damaged", "damaged")
    SEALED.write_bytes(whole)
    SEALED.chmod(0o644)
    login = lab.login(person, person.passcode)
    must(not login.is_in, "let in with a sealed key that others can read")
    SEALED.chmod(0o400)
    is_in(lab, person)
    return "refused three times; let in with the file as it was"


@row("D20", "use = require on a machine whose key lies in a file", "refused; the text names uafctl seal", limit=60)
def required(lab):
    _, person = unsealed(lab, "require")
    refused(lab, person, "uafctl seal", "require")
    lab.run("uafctl", "seal")
    is_in(lab, person)
    must(tool(lab, "unseal")[0] != 0, "unsealed although a chip is demanded")
    return "refused until it was sealed; unseal is refused"


@row("D21", "no chip is configured, and uaf-chip is missing", "nothing changes: it is not even started", limit=60)
def not_started(lab):
    person = lab.person()
    program = pathlib.Path("/usr/libexec/pam-uaf/uaf-chip")
    away = program.with_name("uaf-chip.away")
    shutil.move(program, away)
    lab.after(lambda: shutil.move(away, program) if away.exists() else None)
    is_in(lab, person)
    shutil.move(away, program)
    _, person = sealed(lab)
    shutil.move(program, away)
    mark = lab.log.mark()
    login = lab.login(person, person.passcode)
    must(login.code == hosts.SYSTEM_ERR, f"without the program: {login}")
    must(any("uaf-chip" in line for line in lab.log.since(mark, "uaf-chip")), "the log does not name the program")
    must(not list(STATE.glob("device.key")), "a file with the key is there")
    return "let in without the program where nothing is sealed; refused where the chip holds the key"
