"""Programs that use a second PAM service under a different name, which must ask for the passcode too."""

import functools

from lab import hosts
from lab.table import must, row
from lab.waiting import at_once

PATIENT = "retry_count_to_lock = 10\nlock_time = 300\nmax_lock_count = 3"


def become(caller, target, *answers):
    """A person becomes a different user by `su -`, which uses the PAM service su-l."""
    return hosts.terminal(["su", "-", "-c", hosts._SAY, target.name], answers, uid=caller.uid)


@row(
    "A47",
    "sudo -i and su - with only the password, after uafctl pam enable sudo and su",
    "each of a program's names asks for the passcode, with the settings of its section; disable undoes all of them",
    causes=("a local user", "the person"),
)
def other_names(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    lab.configure(lock=PATIENT, more="[service.sudo]\ntransaction = true")
    person, caller = lab.person(), lab.person(registered=False)
    lab.rescuer()
    lab.after(lambda: lab.run("uafctl", "pam", "disable", "--all", check=False))
    for service in ("sudo", "su"):
        lab.run("uafctl", "pam", "enable", service, "--anyway")
    doors = {
        "sudo": lambda answer: hosts.sudo(person, answer),
        "sudo -i": lambda answer: hosts.sudo(person, answer, options=("-i",)),
        "su": lambda answer: hosts.su(caller, person, answer),
        "su -": lambda answer: become(caller, person, answer),
    }
    with_password = at_once(*(functools.partial(enter, person.password) for enter in doors.values()))
    open_ones = [name for name, session in zip(doors, with_password) if session.is_in]
    must(not open_ones, f"the password alone opens {', '.join(open_ones)}")
    for name, enter in doors.items():
        session = enter(person.passcode)
        must(session.is_in, f"{name} with the passcode: {session}")
        must(("sudo" in name) == (f"{person.name}@" in session.text), f"the text to be confirmed, in {name}: {session}")
    lab.run("uafctl", "pam", "disable", "sudo")
    back = [name for name in ("sudo", "sudo -i") if doors[name](person.password).is_in]
    must(len(back) == 2, f"disabled: the password lets in by {back}")
    return f"{', '.join(doors)}: refused with the password, in with the passcode; sudo -i confirms its text as sudo does"
