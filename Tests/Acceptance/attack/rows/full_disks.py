"""The disk of the state folder is full, broken or read-only, by accident or because a person filled it."""

import os

from attack import counting, disks, faillock, faults
from lab.table import baseline, must, row


def full_memory(lab, person):
    disk = disks.Memory(lab, "1m")
    disks.fill()
    seen = counting.counts(lab, person)
    disk.remove()
    return seen


def full_memory_without_room(lab, person):
    disk = disks.Memory(lab, "1m", dropping=[f"accounts/{person.uid}.db-journal"])
    disks.fill()
    seen = counting.refuses(lab, person)
    disk.remove()
    return seen


def full_ext4(lab, _):
    disk = disks.Ext4(lab)
    person = lab.person()
    disks.fill()
    seen = counting.counts(lab, person)
    disk.remove()
    return seen


def broken(inject):
    """Makes every such call of the core fail, as on a broken disk; afterwards the disk works again."""

    def attempt(lab, person):
        faults.Core(lab)
        strace = f"strace -q -o /dev/null -e inject={inject}"
        seen = counting.refuses(lab, person, env={**os.environ, "CORE_UNDER": strace})
        after = lab.login(person, person.passcode)
        must(after.is_in, f"with the disk whole again the right value is refused: {after}")
        return seen

    return attempt


def read_only(lab, person):
    disk = disks.ReadOnly(lab)
    seen = counting.refuses(lab, person)
    disk.remove()
    return seen


DISKS = {
    "full": full_memory,
    "full, without the blocks kept for it": full_memory_without_room,
    "EIO at each write": broken("pwrite64:error=EIO"),
    "ENOSPC at each write": broken("pwrite64:error=ENOSPC"),
    "EIO at each sync": broken("fdatasync:error=EIO"),
    "ext4 full": full_ext4,
    "read-only": read_only,
}


@row(
    "A7",
    f"the disk is full, breaks or is read-only: {counting.GUESSES} wrong guesses, then the right value",
    f"counted up to {counting.LIMIT} with blocks reserved for it, or not checked: PAM_SYSTEM_ERR for wrong and right "
    "values alike",
    causes=("a local user", "the machine"),
)
def full_disks(lab):
    seen = []
    for name, attempt in DISKS.items():
        try:
            seen.append(f"{name}: {attempt(lab, lab.person())}")
        except Exception as reason:
            reason.args = (f"{name}: {reason}",)
            raise
    return "; ".join(seen)


@baseline("A7")
def full_disk_baseline(lab):
    faillock.install(lab)
    person = lab.person(registered=False)
    faillock.FOLDER.mkdir(exist_ok=True)
    lab.run("mount", "-t", "tmpfs", "-o", "size=64k", "faillock", faillock.FOLDER)
    lab.after(lambda: lab.run("umount", "--lazy", faillock.FOLDER, check=False))
    disks.fill(faillock.FOLDER)
    for number in range(counting.GUESSES):
        faillock.login(person, f"wrong-guess-{number}")
    counted = faillock.count(lab, person)
    is_in = faillock.login(person, person.password).is_in
    return not is_in, f"{counting.GUESSES} wrong guesses, {counted} counted, and the right one then " + (
        "got in" if is_in else "was refused"
    )
