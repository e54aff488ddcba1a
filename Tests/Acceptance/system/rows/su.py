"""su, by a person who becomes a different user."""

import time

from lab import hosts
from lab.machine import Person
from lab.table import must, row
from system import cases, transcripts
from system.cases import LANGUAGES

_callers: dict[str, Person] = {}


def prepare(lab):
    hosts.ask_uaf(lab, "su")
    _callers.clear()
    _callers["su"] = lab.person(registered=False)


SU = cases.Host(
    "su",
    prepare,
    lambda person, language, *answers: hosts.su(_callers["su"], person, *answers, environment=LANGUAGES[language]),
    # It does not ask again.
    again=lambda person: [],
    prefix=lambda: hosts.called_by(_callers["su"]),
)
cases.enter(SU)


@row("su-root", "su by root", "asked nothing, and the core not started")
def by_root(lab):
    prepare(lab)
    person, root = lab.person(), Person("root", 0, "")
    with cases.no_one_runs():
        mark = lab.log.mark()
        session = hosts.su(root, person)
        must(session.is_in, f"not let in: {session}")
        must(not cases.own_lines(lab, mark), f"in the log: {cases.own_lines(lab, mark)}")
    return "in without a question"


@row(
    "su-timeout", "su, which has no timeout of its own: somebody answers after the module's timeout=", "refused, nothing counted"
)
def late_answer(lab):
    prepare(lab)
    person = lab.person()
    cases.argue("su", "timeout=1")
    session = SU.log_in(person, "en", lambda: time.sleep(1.2) or person.passcode)
    transcripts.check("su-late.en", session, person)
    must(not session.is_in, f"let in after the end: {session}")
    cases.nothing_happened(lab, person)
    return "refused; all tries left"
