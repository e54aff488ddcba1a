"""polkit's prompt for a passcode, played by the small host: the real helper would need polkitd and a message bus."""

import os

from lab import hosts
from system import cases
from system.cases import LANGUAGES

SERVICE = "polkit-1"


def prepare(lab):
    lab.stack(SERVICE, *(f"@include common-{stage}" for stage in ("auth", "account", "password", "session")))
    hosts.ask_uaf(lab, SERVICE)


def log_in(person, language, *answers):
    login = hosts.login(SERVICE, person.name, "\n".join(answers), env={**os.environ, **LANGUAGES[language]})
    return cases.told(login.code, login.text, answers)


# It asks once for each dialog; the dialog asks polkit again.
POLKIT = cases.Host(SERVICE, prepare, log_in, again=lambda person: [])
cases.enter(POLKIT, "success", "wrong", "lock", "down")
