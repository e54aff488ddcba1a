"""Who owns an account: reused uids, changed names, and accounts that seem never to have registered."""

import dataclasses
import os
import pathlib
import shutil

from attack import peer
from attack.rows.session import wish
from lab import hosts
from lab.listener import serve
from lab.machine import STATE, Person
from lab.table import must, row

# The refusals that a stack may see instead of "never registered".
CODES = {
    "USER_UNKNOWN": hosts.USER_UNKNOWN,
    "AUTH_ERR": hosts.AUTH_ERR,
    "MAXTRIES": hosts.MAXTRIES,
    "SYSTEM_ERR": hosts.SYSTEM_ERR,
}


@row(
    "A37",
    "reaching `nouserok` through deregistration, a reset, the server's replies, a failed lookup or damaged state",
    "ignored only if nothing was ever registered",
    causes=("the person", "root"),
)
def never_registered(lab):
    # A person whom pam_uaf ignores is logged in; everything else is a refusal.
    lab.stack("moving", "auth [success=done ignore=ignore default=die] pam_uaf.so nouserok", "auth required pam_permit.so")
    new = lab.person(registered=False)
    must(lab.login(new, "any", "moving").is_in, "somebody who never registered is not ignored: the row shows nothing")
    refused = {}

    def refuse(what, person, answer=None, **options):
        login = lab.login(person, answer or person.passcode, "moving", **options)
        must(not login.is_in and login.code is not None, f"{what}: {login}")
        refused[what] = login.code

    refuse_given_up(lab, refuse)
    person = lab.person()
    refuse_lookups(refuse, person, new)
    # The state: damaged or unreadable. Then even a person who never registered is not reported as "never".
    lab.after(lambda: os.chmod(STATE, 0o700))
    for what, damage, mend in state_damages(person):
        damage()
        refuse(what, person)
        mend()
    for what, damage, mend in folder_damages():
        damage()
        refuse(what, person)
        refuse(what + ", new", new)
        mend()
    must(lab.login(person, person.passcode, "moving").is_in, "and put back, it does not work any more")
    must(set(refused.values()) <= set(CODES.values()), f"{refused}")
    codes = ", ".join(f"{name} {list(refused.values()).count(number)}" for name, number in CODES.items())
    return f"1 never registered and ignored; {len(refused)} others refused: {codes}"


def refuse_given_up(lab, refuse):
    """Checks the refusals for accounts that were registered before."""

    def given_up(*command):
        person = lab.person()
        lab.run(*(argument.replace("NAME", person.name) for argument in command), answers=person.passcode + "\n")
        return person

    refuse("deregistered", given_up("uafctl", "deregister", "--user", "NAME"))
    refuse("deregistered altogether", given_up("uafctl", "deregister", "--user", "NAME", "--all"))
    refuse("reset by root", given_up("uafctl", "reset", "NAME"))
    revoked = given_up("uaf-server", "revoke", "NAME", "--state", "/srv/uaf")
    refuse("revoked by the server", revoked)
    refuse("revoked, and told so", revoked)


def refuse_lookups(refuse, person, new):
    """Names that do not exist or cannot be looked up."""
    refuse("nobody of that name", dataclasses.replace(person, name="nobody-here"))
    refuse("an empty name", dataclasses.replace(person, name=""))
    passwd, switch = pathlib.Path("/etc/passwd"), pathlib.Path("/etc/nsswitch.conf")
    for path, broken, what in (
        (switch, "passwd: nothing\n", "lookups that find nothing"),
        (passwd, "root:x:0:0::/root:/bin/sh\n", "an account that has gone from passwd"),
    ):
        before = path.read_text()
        try:
            path.write_text(broken)
            refuse(what, person)
            refuse(what + ", new", new)
        finally:
            path.write_text(before)


def state_damages(person):
    """Changes to one account's file: (description, do, undo)."""
    file, kept = person.state, pathlib.Path("/tmp/kept.db")

    def change(action):
        def do():
            shutil.copy(file, kept)
            action()

        return do

    def back():
        if os.path.islink(file) or file.is_dir():
            file.rmdir() if file.is_dir() else file.unlink()
        shutil.copy(kept, file)
        file.chmod(0o600)

    def link():
        file.unlink()
        file.symlink_to("/nowhere")

    def folder():
        file.unlink()
        file.mkdir()

    return (
        ("an empty file", change(lambda: file.write_bytes(b"")), back),
        ("a cut file", change(lambda: os.truncate(file, 4096)), back),
        ("garbage", change(lambda: file.write_bytes(b"x" * 20000)), back),
        ("readable by others", change(lambda: file.chmod(0o644)), back),
        ("a link to nowhere", change(link), back),
        ("a folder in its place", change(folder), back),
    )


def folder_damages():
    """Changes to the folder of all accounts."""
    elsewhere = STATE.with_name("elsewhere")
    accounts, key = STATE / "accounts", STATE / "device.key"
    return (
        ("folder gone", lambda: STATE.rename(elsewhere), lambda: elsewhere.rename(STATE)),
        ("accounts gone", lambda: accounts.rename(elsewhere), lambda: elsewhere.rename(accounts)),
        ("open to others", lambda: STATE.chmod(0o777), lambda: STATE.chmod(0o700)),
        ("key gone", lambda: key.rename(elsewhere), lambda: elsewhere.rename(key)),
    )


@row(
    "A40",
    "a uid is used again, and an account is renamed",
    "the old value opens nothing, through PAM and over the socket",
    causes=("root",),
)
def used_again(lab):
    serve(lab)
    gone, renamed = lab.person(), lab.person()
    lab.run("userdel", gone.name)
    lab.run("useradd", "--uid", gone.uid, "--no-create-home", "successor")

    def end(name, file):
        # The next person may get the uid.
        lab.run("userdel", name)
        file.unlink(missing_ok=True)

    lab.after(lambda: end("successor", gone.state))
    heir = Person("successor", gone.uid, gone.passcode)
    lab.run("usermod", "--login", "renamed", renamed.name)
    lab.after(lambda: end("renamed", renamed.state))
    other = dataclasses.replace(renamed, name="renamed")
    operations = ("authenticate", "change", "deregister", "deregister-all", "register", "reset", "status")
    told = []
    for who, what in ((heir, "a uid used again"), (other, "an account renamed")):
        login = lab.login(who, who.passcode)
        must(not login.is_in, f"{what}: the old value got in through PAM")
        must(not lab.login(who, who.passcode, remote="198.51.100.7").is_in, f"{what}: the old value got in from afar")
        for name in operations:
            verdict = wish(
                who,
                peer.begin(peer.OPERATIONS[name]),
                {b"passcode": who.passcode, b"pattern": "147896", b"code": "made-up", b"choice": "1"},
            )
            must(verdict and verdict[0] != 0, f"{what}: the old value, over the socket, to {name}: {verdict}")
        told.append(f"{what}: PAM's code {login.code}")
    # The remedies: the old name again, or root makes the machine forget the account.
    lab.run("usermod", "--login", renamed.name, "renamed")
    must(lab.login(renamed, renamed.passcode).is_in, "renamed back, the value is refused")
    lab.run("usermod", "--login", "renamed", renamed.name)
    lab.run("uafctl", "forget", "successor")
    lab.register(heir, "heirs-own-kite-9")
    must(not lab.login(heir, gone.passcode).is_in, "forgotten and registered anew, the old value got in")
    must(lab.login(heir, "heirs-own-kite-9").is_in, "forgotten and registered anew, the new value is refused")
    return (
        f"{'; '.join(told)}; {2 * len(operations)} operations with the old value over the socket refused; renamed "
        "back, and forgotten by root and registered anew: in"
    )
