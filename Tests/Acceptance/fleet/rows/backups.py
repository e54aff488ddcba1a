"""A backup made during logins, challenges used after it, and a restore."""

import shutil
import time

from fleet.client import Person, Refused
from fleet.programs import as_user, folder
from fleet.server import Instance
from fleet.stored import outcome
from lab.table import must, row

ADDRESS, HOME, SAVED = "127.0.5.250", "/srv/backups", "/srv/backups/one"


def refused(instance, saved, part):
    """`restore` reports the wrong part, exits with status 2, and leaves no folder."""
    instance.program.stop()
    told = instance.run("restore", saved, check=False)
    must(told.returncode == 2 and part in told.stderr, f"a backup without its end: {told.returncode} {told.stderr}")
    must(not any(instance.state.iterdir()), "a refused restore left something")


def must_be_refused(what, attempt):
    try:
        attempt()
    except Refused:
        return
    must(False, f"after the restore this is accepted: {what}")


def back_up(lab, instance):
    """Makes a backup during logins."""
    people = lab.people(4, instance)
    with lab.load("F22", people, instance) as load:
        load.for_(1)
        started = time.time()
        said = instance.run("backup", SAVED).stdout
        ended = time.time()
        load.for_(1)
    load.must_be_honest()
    must(not load.later, f"told to try again later during the backup: {dict(load.later)}")
    must(any(started < yes.acknowledged < ended + 1 for yes in load.yes), "nobody logged in beside the backup")
    return people, said.strip()


@row(
    "F22",
    "a backup under logins; afterwards a login, a used code and a request that waits; the folder is lost, and restored",
    "no login is disturbed; what was used or asked for before is refused; everybody logs in again; a cut backup is refused",
    causes=("the machine",),
    limit=180,
)
def backup(lab):
    folder(HOME)
    lab.after(lambda: shutil.rmtree(HOME, ignore_errors=True))
    instance = Instance("own", ADDRESS, lab.certificates, [])
    lab.after(instance.remove)
    instance.share(lab.keys)
    instance.start()
    code = instance.payload("late")
    people, said = back_up(lab, instance)
    channel = lab.channel(instance)
    Person("late", lab.verdicts, True).register(channel, code)
    used = people[0].login(channel)
    waiting = people[1].sign(channel)
    channel.close()
    instance.program.stop()
    shutil.rmtree(instance.state)
    folder(instance.state)
    as_user("cp", "-r", SAVED, f"{HOME}/cut")
    as_user("truncate", "-s", "8192", f"{HOME}/cut/server.db")
    refused(instance, f"{HOME}/cut", "server.db differs from what was backed up")
    told = instance.run("restore", SAVED)
    must("restored the state of" in told.stdout and "revoke and disable again" in told.stderr, f"restore said {told}")
    instance.start()
    answers = [outcome(signed, channel) for signed in (used, waiting)]
    must("yes" not in answers, f"an answer of before the restore is accepted: {answers}")
    must_be_refused("a code", lambda: Person("late", lab.verdicts, True).register(channel, code))
    for person in people:
        person.login(channel)
    Person("late", lab.verdicts, True).register(channel, instance.payload("late"))
    return f"{said}; sent again {answers}; the used code is refused; {len(people)} people log in again"
