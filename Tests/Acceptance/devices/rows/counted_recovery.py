"""The chip that counted for an account is lost: root has the recovery key, and the person has the value."""

import pathlib

from devices.chip import RECOVERY, Chip, is_in, keep_state, tool
from devices.rows.counting import count_with, counts, indices, result
from lab import hosts
from lab.table import must, row

FILE = pathlib.Path("/root/recovery-key-counted")


def counted_with_words(lab):
    """A chip that counts for a person, with a recovery key in FILE."""
    keep_state(lab)
    FILE.unlink(missing_ok=True)
    lab.after(lambda: FILE.unlink(missing_ok=True))
    chip = Chip(lab)
    count_with(lab, chip.place)
    must(tool(lab, "seal", "--recovery-key", str(FILE))[0] == 0, "seal failed")
    person = lab.person()
    must(
        len(indices(chip)) == 1 and counts(lab, person) == "tpm",
        "the chip does not count",
    )
    lab.after(lambda: tool(lab, "forget", person.name))
    return chip, person


def recovered(lab):
    """What the log says about a successful `uafctl recover`."""
    mark = lab.log.mark()
    status, said = tool(lab, "recover", "--recovery-key", str(FILE))
    must(status == 0, f"recover ({status}): {said}")
    return " ".join(lab.log.since(mark, "goes on"))


@row(
    "D40",
    "the chip that counted is replaced, and root has the recovery key",
    "after recover, the old passcode lets in; the new chip counts once the passcode was changed",
    causes=("a local user", "root"),
    limit=180,
)
def goes_on(lab):
    chip, person = counted_with_words(lab)
    chip.stop()
    new = Chip(lab)
    count_with(lab, new.place)
    must(not lab.login(person, person.passcode).is_in, "let in by another chip")
    must(
        tool(lab, "recover", answers="babab-" * 9 + "babab\n")[0] != 0,
        "other words were accepted",
    )
    said = recovered(lab)
    must("1 account goes on with the same values" in said, f"the log of recover: {said}")
    must(
        counts(lab, person) == "machine" and not indices(new),
        "the new chip counts for a value that it has not seen",
    )
    is_in(lab, person)
    hosts.sudoers(lab, f"{person.name} ALL=(ALL) ALL")
    hosts.ask_uaf(lab, "sudo")
    must(
        hosts.sudo(person, person.passcode).is_in,
        "sudo did not let in with the old value",
    )
    for _ in range(5):
        seen = result(lab, person, "wrong-guess")
    must(
        seen != "0" and result(lab, person, person.passcode) != "0",
        f"not locked after five wrong values: {seen}",
    )
    must(tool(lab, "unlock", person.name)[0] == 0, "unlock failed")
    answers = f"{person.passcode}\nother-kite-9\nother-kite-9\n"
    must(
        lab.run("uafctl", "change", person.name, answers=answers, check=False).returncode == 0,
        "change failed",
    )
    must(
        len(indices(new)) == 1 and counts(lab, person) == "tpm",
        "the change made no index",
    )
    must(lab.login(person, "other-kite-9").is_in, "the new value was not let in")
    return "refused by the new chip; let in with the old value after recover; locked after five; counted after a change"


@row(
    "D41",
    "recover with the chip that counts; and again after that chip was cleared",
    "the chip keeps its count; after it was cleared, recover lets the old passcode in again",
    causes=("root",),
    limit=180,
)
def same_chip(lab):
    chip, person = counted_with_words(lab)
    before = indices(chip)
    said = recovered(lab)
    must("still does" in said and indices(chip) == before, f"the log of recover: {said}")
    must(counts(lab, person) == "tpm", "the chip does not count any more")
    is_in(lab, person)
    must(RECOVERY.exists(), "the recovery key has ended")
    chip.tool("clear", "-c", "p")
    must(not lab.login(person, person.passcode).is_in, "let in by a cleared chip")
    must(
        tool(lab, "recover", "--recovery-key", str(FILE))[0] == 0,
        "recover failed on the cleared chip",
    )
    is_in(lab, person)
    must(not lab.login(person, "wrong-guess").is_in, "a wrong value was let in")
    must(
        tool(lab, "recover", "--recovery-key", str(FILE))[0] == 0,
        "recover failed a second time",
    )
    is_in(lab, person)
    return "the index was kept; after the clearing let in with the old value, also after a second recover"
