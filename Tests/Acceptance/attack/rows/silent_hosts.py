"""Network services that do not report the remote host of their user."""

from lab import hosts
from lab.table import must, row

SERVICE = "ftpd-silent"
COUNTED = "retry_count_to_lock = 5\nlock_time = 300\nmax_lock_count = 3"


def words(login, person):
    """The messages that a person saw, without the name."""
    return login.text.replace(person.name, "NAME")


def guess(lab, person):
    """Enters as many wrong values as there are tries; returns the logins."""
    return lab.guesses(person, 5, SERVICE)


@row(
    "A68",
    "guesses through a network service that does not set PAM_RHOST",
    "counted as local guesses, so no more than at the console; none gets in; with hide_state = true nothing about the "
    "account is revealed",
    causes=("somebody remote",),
)
def silent(lab):
    lab.stack(SERVICE, "auth required pam_uaf.so", "account required pam_permit.so")
    lab.configure(lock=COUNTED)
    person, hidden, stranger = lab.person(), lab.person(), lab.person(registered=False)
    mark = lab.log.mark()
    logins = guess(lab, person)
    must(not any(login.is_in for login in logins), f"let in: {logins}")
    must(lab.verdicts(mark, person) == [hosts.WRONG] * 5, f"in the log: {lab.verdicts(mark, person)}")
    must(not lab.login(person, person.passcode, SERVICE).is_in, "the right value is let in while locked")
    must(not lab.login(person, person.passcode).is_in, "the lock is not that of local logins")
    origins = [line for line in lab.log.since(mark) if "account=" + person.name in line and "origin=remote" in line]
    must(not origins, f"taken for remote: {origins}")
    lab.configure(lock=COUNTED, more=f"[service.{SERVICE}]\nhide_state = true")
    told = {
        name: [words(login, someone) for login in guess(lab, someone)]
        for name, someone in (("registered", hidden), ("not registered", stranger))
    }
    must(told["registered"] == told["not registered"], f"told apart: {told}")
    must(not lab.login(hidden, hidden.passcode, SERVICE).is_in, "hidden: the right value is let in while locked")
    return (
        "5 wrong values counted as local and then locked, for local logins too; with hide_state = true a registered and an "
        "unregistered account are told the same"
    )
