"""Root's files that a different user could have written, or whose content is invalid."""

import os
import pathlib
import shutil

from lab import hosts
from lab.machine import CONFIGURATION, STATE
from lab.table import must, row

STRANGER = 65534
DROP_INS = CONFIGURATION.with_name(CONFIGURATION.name + ".d")
DROP_IN = DROP_INS / "50-site.conf"
OF_ROOT = (CONFIGURATION, DROP_INS, DROP_IN)


def add_drop_in(text):
    DROP_INS.mkdir()
    DROP_INS.chmod(0o755)
    DROP_IN.write_text(text)
    DROP_IN.chmod(0o644)


def give_away(path):
    os.chown(path, STRANGER, -1)


def open_up(path):
    # Everybody may read the configuration; nobody but root may read the state.
    path.chmod(path.stat().st_mode | (0o022 if path in OF_ROOT else 0o004))


def link(path):
    real = path.with_name(path.name + ".real")
    path.rename(real)
    path.symlink_to(real)


def link_hard(path):
    other = path.with_name(path.name + ".other")
    os.link(path, other)


def make_pipe(path):
    path.rename(path.with_name(path.name + ".real"))
    os.mkfifo(path, 0o600)


def make_folder(path):
    path.rename(path.with_name(path.name + ".real"))
    path.mkdir(0o700)


def make_file(path):
    path.rename(path.with_name(path.name + ".real"))
    path.write_bytes(b"")
    path.chmod(0o600)


OF_FILES = {
    "of another owner": give_away,
    "open to others": open_up,
    "a symbolic link": link,
    "with a second name": link_hard,
    "a FIFO": make_pipe,
    "a folder": make_folder,
}
OF_FOLDERS = {
    "of another owner": give_away,
    "open to others": open_up,
    "a symbolic link": link,
    "a FIFO": make_pipe,
    "a file": make_file,
}


def put_back(path, saved):
    """Restores the old files from their copy, whatever has replaced them."""
    for name in (path.name, path.name + ".real", path.name + ".other"):
        place = path.with_name(name)
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    # With owners and times; shutil keeps no owners, and here all are root's.
    if saved.is_dir():
        shutil.copytree(saved, path)
    else:
        shutil.copy2(saved, path)


def refused(lab, person, path, what, codes, named=""):
    """Logs in with the right value: there must be no prompt for it, and the log must name the path, or `named`."""
    mark = lab.log.mark()
    login = lab.login(person, person.passcode)
    must(not login.is_in, f"{path} {what}: let in")
    must(login.code in codes, f"{path} {what}: ends with {login}")
    must("prompt" not in login.text, f"{path} {what}: asked for a value first")
    lines = [line for line in lab.log.since(mark, "event=") if "event=authenticate" in line]
    must(any((named or str(path)) in line for line in lines), f"{path} {what}: the log does not name it: {lines}")


@row(
    "A10",
    "configuration and its folder, state folder, device key, account file of another owner, open, linked, a FIFO, a folder",
    "refused before anybody is asked; the log names the path",
    causes=("a local user", "root"),
)
def unsafe_files(lab):
    person = lab.person()
    journal = person.state.with_name(person.state.name + "-journal")
    lab.login(person, "wrong-guess")
    add_drop_in("[lock]\nlock_time = 300\n")
    cases = [(path, OF_FILES) for path in (CONFIGURATION, DROP_IN, STATE / "device.key", person.state, journal)]
    cases += [(path, OF_FOLDERS) for path in (DROP_INS, STATE, STATE / "accounts", STATE / "slots")]
    tried = 0
    for path, damages in cases:
        saved = pathlib.Path("/tmp/saved")
        shutil.copytree(path, saved) if path.is_dir() else shutil.copy2(path, saved)
        try:
            for what, damage in damages.items():
                damage(path)
                # If every user may create hard links to root's files, a second name need not come from root.
                is_roots = path in OF_ROOT and what != "with a second name"
                refused(lab, person, path, what, (hosts.SERVICE_ERR if is_roots else hosts.SYSTEM_ERR,))
                put_back(path, saved)
                tried += 1
        finally:
            put_back(path, saved)
            shutil.rmtree(saved) if saved.is_dir() else saved.unlink()
    shutil.rmtree(DROP_INS)
    left = lab.status(person)["authenticators"][0]["remainingTries"]
    must(left == 4 and lab.login(person, person.passcode).is_in, f"with all as it was: {left} tries are left")
    return f"{tried} of {tried} refused without a prompt, with the path in the log; the count stands"


# Invalid content, and the text that the log must contain in addition to the file's name.
MISTAKES = {
    "an unknown key": ("lock_time = 300\nlock_tim = 300", "lock.lock_tim:"),
    "an unknown table": ("[lcok]\nlock_time = 300", "lcok"),
    "a word for a number": ('lock_time = "long"', "lock.lock_time:"),
    "a number out of range": ("lock_time = 0", "lock.lock_time:"),
    "a number past 64 bits": ("lock_time = 99999999999999999999", ""),
    "a negative number": ("lock_time = -1", "lock.lock_time:"),
    "a fraction of a try": ("retry_count_to_lock = 1.5", "lock.retry_count_to_lock:"),
    "a key twice": ("lock_time = 300\nlock_time = 300", "lock_time"),
    "no TOML": ("lock_time: 300", ""),
    "a control byte": ("lock_time = 300 # \x01", ""),
    "not UTF-8": ("lock_time = 300 # \udcff", ""),
}


@row(
    "A11",
    "configuration: writable by others, its folder writable, unknown keys, bad numbers, no TOML, missing",
    "refused before anybody is asked, with file, line and key in the log",
    causes=("root",),
)
def wrong_configuration(lab):
    person = lab.person()
    for what, (text, key) in MISTAKES.items():
        lab.configure(lock="")
        kept = CONFIGURATION.read_text()
        before = kept.partition("[lock]\n")[0] + "[lock]\n"
        CONFIGURATION.write_bytes((before + text + "\n").encode("utf-8", "surrogateescape"))
        first = before.count("\n") + 1
        lines = [first + number for number in range(text.count("\n") + 1)]
        mark = lab.log.mark()
        refused(lab, person, CONFIGURATION, what, (hosts.SERVICE_ERR,))
        logged = " ".join(lab.log.since(mark, "event="))
        must(any(f"{CONFIGURATION}:{line}:" in logged for line in lines), f"{what}: no line is named: {logged}")
        must(key in logged, f"{what}: {key} is not named: {logged}")
    lab.configure()
    add_drop_in("\n[lock]\nlock_tim = 300\n")
    refused(lab, person, DROP_IN, "with an unknown key", (hosts.SERVICE_ERR,), f"{DROP_IN}:3: lock.lock_tim:")
    shutil.rmtree(DROP_INS)
    folder = CONFIGURATION.parent
    for mode in (0o777, 0o775):
        mark = lab.log.mark()
        os.chmod(folder, mode)
        try:
            refused(lab, person, folder, f"of mode {mode:o}", (hosts.SERVICE_ERR,))
        finally:
            os.chmod(folder, 0o755)
    for mode in (0o646, 0o664):
        CONFIGURATION.chmod(mode)
        refused(lab, person, CONFIGURATION, f"of mode {mode:o}", (hosts.SERVICE_ERR,))
    CONFIGURATION.unlink()
    refused(lab, person, CONFIGURATION, "missing", (hosts.SERVICE_ERR,), "no server is configured")
    lab.configure()
    must(lab.login(person, person.passcode).is_in, "with all as it was the right value is refused")
    return f"{len(MISTAKES)} mistakes refused with file, line and key; 5 ways to write it refused with the path"
