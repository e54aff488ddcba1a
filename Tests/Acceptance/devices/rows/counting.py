"""The chip counts the wrong values of an account: its count persists, and locks nobody else."""

import pathlib
import shutil
import struct

from devices.chip import Between, Chip, is_in, keep_state, tool
from lab.machine import STATE
from lab.table import Skip, must, row

# TPM_CC_PolicySecret and TPM_CC_Unseal of TPM 2.0 Part 2, 6.5.2.
PROVE, UNSEAL = 0x151, 0x15E
# One try before a permanent lock, local or remote, and 200 for other users: the chip stops after 1 + 1 + 200 wrong values.
STRICT = "retry_count_to_lock = 1\nmax_lock_count = 0\n"
LAB = "retry_count_to_lock = 5\nlock_time = 300\nmax_lock_count = 3"
REMOTE = "[lock.remote]\nretry_count_to_lock = 1\nmax_lock_count = 0\n"
ACCOUNTS, BEFORE = STATE / "accounts", pathlib.Path("/tmp/accounts-before")
TRACE = pathlib.Path("/tmp/change.trace")


def count_with(lab, place, more="", use="if_available", lock=LAB):
    """Sets the path of a chip in the configuration, with additional settings in that section."""
    lab.configure(lock=lock, more=f'{REMOTE if lock is STRICT else ""}[tpm]\nuse = "{use}"\ntcti = "{place}"\n{more}')


def counted(lab, lock=LAB, people=1):
    """People whose wrong values a new chip counts."""
    keep_state(lab)
    chip = Chip(lab)
    count_with(lab, chip.place, lock=lock)
    lab.run("uafctl", "seal")
    persons = [lab.person() for _ in range(people)]
    must(len(indices(chip)) == people, f"not an index for each: {indices(chip)}")
    lab.after(lambda: [tool(lab, "forget", person.name) for person in persons])
    return chip, persons[0] if people == 1 else persons


def indices(chip):
    """The numbers of our indices in the chip."""
    found = [line.strip("- ") for line in chip.tool("getcap", "handles-nv-index").splitlines()]
    return [number for number in found if number.lower().startswith("0x1a6")]


def counts(lab, person):
    """Where the wrong values of a person's passcode are counted, as `uafctl status` shows it."""
    return next(entry.get("countedBy") for entry in lab.status(person)["authenticators"] if entry["type"] == "passcode")


def put_back(lab, act):
    """Runs an action, and then restores the accounts' files."""
    shutil.rmtree(BEFORE, ignore_errors=True)
    shutil.copytree(ACCOUNTS, BEFORE)
    done = act()
    shutil.rmtree(ACCOUNTS)
    shutil.copytree(BEFORE, ACCOUNTS)
    ACCOUNTS.chmod(0o700)
    return done


def result(lab, person, answer):
    """The FIDO result of one login."""
    mark = lab.log.mark()
    lab.login(person, answer)
    lab.log.since(mark, "event=authenticate")
    return lab.verdicts(mark, person)[-1]


@row(
    "D30",
    "a person registers while the chip holds the machine's key",
    "the chip has one index; status says that the chip counts",
    limit=120,
)
def registers(lab):
    _, person = counted(lab)
    must(counts(lab, person) == "tpm", f"status says {counts(lab, person)}")
    is_in(lab, person)
    must(not lab.login(person, "wrong-guess").is_in, "a wrong value was let in")
    is_in(lab, person)
    must(tool(lab, "unseal")[0] != 0, "unsealed, although an account needs the chip")
    return "let in with the right value; countedBy tpm; unseal is refused while the account needs the chip"


@row(
    "D31",
    "an older state folder is restored after each wrong passcode, to regain tries",
    "the chip's count is unaffected: at its limit nothing lets in any more, until root unlocks the account",
    causes=("a local user", "root"),
    limit=180,
)
def older_folder(lab):
    chip, person = counted(lab, lock=STRICT)
    # How many wrong values the chip has counted, and how many it allows.
    (chip.folder / "count").write_bytes(struct.pack(">II", 199, 202))
    chip.tool("nvwrite", indices(chip)[0], "-C", "o", "-i", "count")
    seen = [put_back(lab, lambda: result(lab, person, "wrong-guess")) for _ in range(4)]
    must(seen == ["3012", "3012", "3012", "3014"], f"results: {seen}")
    must(put_back(lab, lambda: result(lab, person, person.passcode)) == "3014", "the right value was let in")
    chip.stop()
    chip.start()
    must(put_back(lab, lambda: result(lab, person, person.passcode)) == "3014", "the chip forgot its count")
    must(tool(lab, "unlock", person.name)[0] == 0, "unlock failed")
    is_in(lab, person)
    return "3012 three times, then 3014, also for the right value and after the chip was started anew; let in after unlock"


@row(
    "D32",
    "one person enters twenty wrong passcodes",
    "another person logs in, and TPM_PT_LOCKOUT_COUNTER stays 0",
    causes=("the person", "somebody remote"),
    limit=180,
)
def locks_nobody_else(lab):
    chip, (person, other) = counted(lab, people=2)
    for number in range(20):
        put_back(lab, lambda number=number: lab.login(person, f"wrong-guess-{number}"))
    must(chip.failures() == 0, f"the chip has counted {chip.failures()}")
    is_in(lab, other)
    is_in(lab, person)
    must(chip.failures() == 0, f"the chip has counted {chip.failures()}")
    return "both let in afterwards; the chip's own count is 0"


@row(
    "D33",
    "the chip is killed between counting a try and returning its share of the key",
    "one try is lost, none is gained",
    limit=120,
)
def killed_between(lab):
    chip, person = counted(lab, lock=STRICT)
    seen = []

    def stop_at_second():
        # The first one opens the machine's key.
        seen.append(1)
        if len(seen) == 2:
            chip.stop()

    stops = Between(lab, chip, at=UNSEAL, does=stop_at_second)
    count_with(lab, stops.place, lock=STRICT)
    must(result(lab, person, person.passcode) == "1007", "not refused with 1007")
    must(PROVE in stops.commands and len(seen) == 2, f"not stopped at the share: {len(seen)}")
    chip.start()
    count_with(lab, chip.place, lock=STRICT)
    must(result(lab, person, person.passcode) == "3014", "the attempt was not counted on disk")
    must(tool(lab, "unlock", person.name)[0] == 0, "unlock failed")
    is_in(lab, person)
    return "1007; the attempt stayed counted on disk; let in after unlock"


def _fill(chip):
    """Creates foreign indices until the chip is full, the large ones first, because each command is slow."""
    number = 0x1500000
    for size in (2048, 512, 64, 8):
        room = ("-C", "o", "-s", str(size), "-a", "ownerread|ownerwrite")
        while "tpm:error" not in chip.tool("nvdefine", hex(number), *room, check=False):
            number += 1
    must(number > 0x1500000, "no index could be made")


@row(
    "D34",
    "the chip has no space for another index",
    "the machine counts instead, and says so; with require_pin_index the registration is refused",
    limit=180,
)
def no_room(lab):
    chip, first = counted(lab)
    _fill(chip)
    person = lab.person(registered=False)
    count_with(lab, chip.place, "require_pin_index = true\n")
    asked = lab.run(
        "uafctl",
        "register",
        person.name,
        "--payload",
        lab.payload(person),
        check=False,
        answers=f"{person.passcode}\n{person.passcode}\n",
    )
    must(asked.returncode != 0 and "No chip (TPM) can count" in asked.stdout, f"said: {asked.stdout}")
    count_with(lab, chip.place)
    mark = lab.log.mark()
    lab.register(person)
    must(counts(lab, person) == "machine" and counts(lab, first) == "tpm", "status does not say who counts")
    must(any("no index" in line for line in lab.log.since(mark, "no index")), "the log does not say so")
    is_in(lab, person)
    is_in(lab, first)
    return "refused with a text of its own under require_pin_index; without it registered, and status and log say machine"


@row(
    "D35",
    "another program has locked the chip against guessing (0x921)",
    "let in: the lock applies to neither the key nor the index",
    causes=("a local user",),
    limit=120,
)
def locked_out(lab):
    chip, person = counted(lab)
    chip.lock()
    is_in(lab, person)
    must(not lab.login(person, "wrong-guess").is_in, "a wrong value was let in")
    is_in(lab, person)
    return "let in while the chip was locked against guessing; a wrong value was refused"


@row("D36", "the index is removed, or another is put in its place", "refused with a text of its own", causes=("root",), limit=180)
def index_gone(lab):
    chip, person = counted(lab)
    number = indices(chip)[0]
    chip.tool("nvundefine", "-C", "o", number)
    mark = lab.log.mark()
    login = lab.login(person, person.passcode)
    must(not login.is_in and "has lost" in login.text, f"removed: {login.text}")
    must(any("indexMissing" in line for line in lab.log.since(mark, "indexMissing")), "the log does not name it")
    chip.tool("nvdefine", number, "-C", "o", "-s", "8", "-a", "authread|authwrite|ownerwrite", "-p", "mine")
    mark = lab.log.mark()
    login = lab.login(person, person.passcode)
    must(not login.is_in and "was replaced" in login.text, f"replaced: {login.text}")
    must(any("indexReplaced" in line for line in lab.log.since(mark, "indexReplaced")), "the log does not name it")
    must(tool(lab, "reset", person.name)[0] == 0, "reset failed")
    lab.register(person)
    is_in(lab, person)
    return "1007 with indexMissing, then indexReplaced in the log; let in after reset and a new registration"


@row("D37", "the passcode is changed, reset, registered anew", "one index while a passcode is registered, else none", limit=180)
def life(lab):
    chip, person = counted(lab)
    first = indices(chip)
    changed = lab.run("uafctl", "change", person.name, answers=f"{person.passcode}\nother-kite-9\nother-kite-9\n", check=False)
    must(changed.returncode == 0, f"change: {changed.stdout}")
    second = indices(chip)
    must(len(second) == 1 and second != first, f"indices: {first}, then {second}")
    must(not lab.login(person, person.passcode).is_in, "the old value was let in")
    must(lab.login(person, "other-kite-9").is_in, "the new value was not let in")
    must(tool(lab, "reset", person.name)[0] == 0 and not indices(chip), f"left: {indices(chip)}")
    lab.register(person)
    must(len(indices(chip)) == 1, f"indices: {indices(chip)}")
    must(tool(lab, "forget", person.name)[0] == 0 and not indices(chip), f"left: {indices(chip)}")
    return "one index after registration and change, none after reset and forget; the old value opened nothing"


@row(
    "D38",
    "a change of the passcode is killed at each of its fsyncs",
    "exactly one of old and new lets in; unlock removes stray indices",
    limit=400,
)
def killed_change(lab):
    if shutil.which("strace") is None:
        raise Skip("strace is not there")
    chip, person = counted(lab)
    now, other = person.passcode, "other-kite-9"
    strays = 0
    for step in range(1, 20):
        inject = f"--inject=fdatasync,fsync:signal=SIGKILL:when={step}"
        TRACE.unlink(missing_ok=True)
        strace = ["strace", "-f", "-q", "-o", TRACE, "-e", "trace=fdatasync,fsync", inject]
        lab.run(*strace, "uafctl", "change", person.name, answers=f"{now}\n{other}\n{other}\n", check=False)
        strays += len(indices(chip)) - 1
        must(len(indices(chip)) in (1, 2), f"killed at {step}: {indices(chip)}")
        must(tool(lab, "unlock", person.name)[0] == 0, f"killed at {step}: unlock failed")
        must(len(indices(chip)) == 1, f"killed at {step}: left: {indices(chip)}")
        opens = [value for value in (now, other) if lab.login(person, value).is_in]
        must(len(opens) == 1, f"killed at {step}: these open: {opens}")
        if opens[0] == other:
            now, other = other, now
        if "killed by SIGKILL" not in TRACE.read_text(errors="replace"):
            break
    must(step > 3 and strays > 0, f"{step} steps, {strays} indices left behind")
    return f"killed {step - 1} times; one value opened after each; {strays} indices were left, and removed by unlock"


@row("D39", "a person deregisters the passcode", "no index is left", limit=120)
def deregistered(lab):
    chip, person = counted(lab)
    done = lab.run("uafctl", "deregister", person.name, answers=person.passcode + "\n", check=False)
    must(done.returncode == 0 and not indices(chip), f"({done.returncode}) left: {indices(chip)}: {done.stdout}")
    lab.register(person)
    must(len(indices(chip)) == 1, f"indices: {indices(chip)}")
    is_in(lab, person)
    return "none after the deregistration, one after the next registration"
