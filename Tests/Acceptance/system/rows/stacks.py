"""Every stack of pam.d/ in every case of the table in pam.d/README.md, with real libpam and the services' own lines."""

import concurrent.futures
import dataclasses
import pathlib
import subprocess

from lab import hosts, listener, machine
from lab.table import must, row
from system import stack_table
from system.stack_cases import CASES, CHOICE, DEBIAN, REMOTE, RULE, SERVICES, people

AT_ONCE = 3
# Shorter and longer than the minimum length in one of the cases.
TOO_SHORT, NEW = "bronze-otter-61", "bronze-otter-61-with-more"


@dataclasses.dataclass
class Seen:
    """What was asked, and PAM's codes, one for each stage of the login."""

    asked: tuple
    codes: list
    text: str

    def __str__(self):
        end = "in" if self.codes and not any(self.codes) else "refused" if self.codes and self.codes[0] else self.codes
        return f"{', '.join(self.asked) or 'nothing'} → {end}"


def kind(prompt):
    """What a prompt asks for; the prompt itself if it is unknown."""
    kinds = {"passcode": "passcode", "password": "password", "current passcode": "new passcode", "new passcode": "new passcode"}
    return next((what for word, what in kinds.items() if prompt.lower().startswith(word)), prompt.strip())


def log_in(service, person, caller, stages, answers):
    """Runs a login of the service and answers each prompt by its kind; None gives up, a list has one answer for each prompt."""
    process = subprocess.Popen(
        [*service.prefix(person, caller), *hosts.command(service.name, person.name, service.remote), "--", *stages],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdin and process.stdout
    asked, codes, lines, typed = [], [], [], None
    for line in process.stdout:
        lines.append(line)
        word, _, rest = line.rstrip("\n").partition(" ")
        if word == "result":
            codes.append(int(rest))
        if word != "prompt":
            continue
        # The list to choose from and the rules for a new passcode are separate lines before the prompt.
        what = kind(process.stdout.readline() if CHOICE in rest or rest.startswith(RULE) else rest)
        # A change has three prompts, which count as one: the old passcode, the new one, and the new one again.
        if asked[-1:] != ["new passcode"] or what != "new passcode":
            asked.append(what)
        if typed is None or not service.types_once:
            typed = answers.get(what)
            typed = (typed.pop(0) if typed else None) if isinstance(typed, list) else typed
        if typed is None:
            process.stdin.close()
        elif not process.stdin.closed:
            process.stdin.write(typed + "\n")
            process.stdin.flush()
    process.wait()
    return Seen(tuple(asked), codes, "".join(lines))


class Drive:
    """One cell of the table in its case."""

    def __init__(self, name, service, shape, case, person, caller):
        self.what, self.service, self.case = f"{name}, {shape}/{service}", SERVICES[service], case
        self.person, self.caller = person, caller
        self.logins, self.wrong = 0, []

    def see(self, expected, refused_by=0, password=True, new=NEW, more=""):
        """Checks one login against its cell; a difference becomes a line in `wrong`. A refusal must come from the numbered
        stage."""
        service, case, person = self.service, self.case, self.person
        passcode = {"right": person.passcode, "wrong": "wrong-guess", "empty": "", None: None}[case.passcode]
        seen = log_in(
            service,
            person,
            self.caller,
            case.stages or service.stages,
            {
                "passcode": passcode,
                "password": person.password if password else "wrong-password",
                "new passcode": [person.passcode, new, new],
            },
        )
        self.logins += 1
        refusing = next((stage for stage, code in enumerate(seen.codes) if code != 0), None)
        ends = bool(seen.codes) and refusing == (None if expected.is_in else refused_by)
        if seen.asked != expected.asked or not ends:
            self.wrong.append(f"{self.what}{more}: expected {expected}, seen {seen}: {seen.text!r}")

    def run(self, cell):
        # A login that succeeds must fail with a wrong password, or with a new passcode that the rules refuse like the old one.
        if cell.is_in and "password" in cell.asked:
            until = cell.asked.index("password") + 1
            self.see(stack_table.Cell(cell.asked[:until], False), password=False, more=", wrong password")
        if cell.is_in and "new passcode" in cell.asked:
            self.see(stack_table.Cell(cell.asked, False), refused_by=1, new=TOO_SHORT, more=", not changed")
        self.see(cell, password=self.case.password)
        return self


def drive(lab, everybody, table, name, case):
    """Drives one case through every service and shape; returns what was driven."""
    cells = {
        (service, shape): table[name, service, shape]
        for shape in stack_table.SHAPES
        for service in SERVICES
        if table.get((name, service, shape)) is not None
    }
    who = {place: lab.person() if case.is_changed else everybody[case.person] for place in cells}
    done = []
    with case.around(lab), concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for shape in stack_table.SHAPES:
            services = [service for service, its_shape in cells if its_shape == shape]
            for service in services:
                hosts.ask_uaf(lab, SERVICES[service].name, shape, SERVICES[service].template, case.arguments)
            done += pool.map(
                lambda service: Drive(name, service, shape, case, who[service, shape], everybody["caller"]).run(
                    cells[service, shape]
                ),
                services,
            )
            if case.passcode == "wrong":
                forget_guesses(lab, everybody["registered"])
    return done


def forget_guesses(lab, person):
    """Enters a right value locally and remotely, which resets all counts, with and without the server."""
    for remote in (None, REMOTE):
        lab.login(person, person.passcode, remote=remote)


@row(
    "stacks",
    "every stack of pam.d/ in every case of its table, with the services' own lines around it",
    "what the table in pam.d/README.md says: what is asked, and whether that lets in; a wrong password never does",
)
def stacks(lab):
    text = pathlib.Path(machine.ROOT, "pam.d/README.md").read_text()
    table = stack_table.read(text, {name: service.shapes for name, service in SERVICES.items()})
    of_table = {case for case, _, _ in table}
    must(of_table == set(CASES), f"in the table or the test alone: {sorted(of_table ^ set(CASES))}")
    for service, lines in DEBIAN.items():
        lab.stack(service, *lines.splitlines())
    lab.after(lambda: (machine.STATE / "nouserok.ended").unlink(missing_ok=True))
    listener.serve(lab)
    everybody = people(lab)
    driven = [drive(lab, everybody, table, name, case) for name, cases in CASES.items() for case in cases]
    done = [cell for cells in driven for cell in cells]
    wrong = [line for cell in done for line in cell.wrong]
    must(not wrong, "\n".join(wrong))
    cells = sum(cell is not None for cell in table.values())
    return (
        f"{cells} cells ({len(CASES)} cases, {len(SERVICES)} kinds of service, {len(stack_table.SHAPES)} shapes), all "
        f"as they stand there, in {sum(cell.logins for cell in done)} logins"
    )
