"""sudo, on a terminal."""

from lab import hosts
from system import cases
from system.cases import LANGUAGES


def prepare(lab):
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, "Defaults passwd_tries=3", "ALL ALL=(ALL) ALL")


SUDO = cases.Host(
    "sudo", prepare, lambda person, language, *answers: hosts.sudo(person, *answers, environment=LANGUAGES[language]),
    again=lambda person: [person.passcode])
cases.enter(SUDO)
