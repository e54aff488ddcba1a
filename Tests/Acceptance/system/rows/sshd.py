"""OpenSSH's server, by the real client."""

import os
import pathlib
import pwd

from lab import hosts
from lab.processes import gone, running, status
from lab.table import Skip, must, row
from lab.waiting import until
from system import cases, transcripts

FAR = "198.51.100.7"
PORT = 2222
KNOWN = pathlib.Path("/tmp/known_hosts")
# The client's own defaults. With LogLevel=INFO, it shows the server's messages between two prompts.
AS_EVER = ("NumberOfPasswordPrompts=3", "LogLevel=INFO", f"UserKnownHostsFile={KNOWN}")


def prepare(lab, *options):
    """Makes sshd ask for the passcode; returns the process that accepts connections."""
    hosts.ask_uaf(lab, "sshd")
    process = hosts.sshd(lab, PORT, *options)
    KNOWN.write_text(f"[127.0.0.1]:{PORT} " + pathlib.Path(f"/tmp/sshd-{PORT}/key.pub").read_text())
    return process


def ssh(person, *answers, options=()):
    return hosts.ssh(person.name, *answers, port=PORT, options=(*options, *AS_EVER))


# sshd empties the environment of the process that speaks to PAM.
SSHD = cases.Host(
    "sshd",
    prepare,
    lambda person, language, *answers: ssh(person, *answers),
    again=lambda person: [person.passcode],
    falls_back=False,
    has_locale=False,
    remote=FAR,
)
cases.enter(SSHD)


@row("sshd-tries", "sshd: a wrong passcode as often as a connection asks", "refused, and never told how many tries are left")
def every_try(lab):
    prepare(lab)
    person = lab.person()
    session = ssh(person, "wrong-1", "wrong-2", "wrong-3", person.passcode)
    transcripts.check("sshd-tries.en", session, person)
    must(not session.is_in and session.text.count("Passcode for") == 3, f"after three wrong ones: {session}")
    left = cases.tries(lab, person), cases.tries(lab, person, remote=True)
    must(left == (5, 2), f"{left} tries (local, remote) are left")
    return "asked 3 times; 2 remote and all 5 local tries left"


@row("sshd-grace", "sshd: nobody answers, until LoginGraceTime", "the connection ends, nothing counted, no core left")
def nobody_answers(lab):
    prepare(lab, "LoginGraceTime 2")
    person = lab.person()

    def answer_late():
        # OpenSSH 9.8 and newer wait up to 4 seconds longer than they were told.
        gone(seconds=30)
        return person.passcode

    # The client notices once it has an answer to send.
    session = ssh(person, answer_late)
    transcripts.check("sshd-grace.en", session, person)
    must(not session.is_in, f"let in without an answer: {session}")
    cases.nothing_happened(lab, person)
    return "ended by sshd; all tries left"


def key_for(lab, person):
    """Gives a person a key that sshd accepts; returns the options of ssh that use it."""
    key = pathlib.Path(f"/tmp/key-{person.name}")
    lab.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    folder = pathlib.Path(pwd.getpwuid(person.uid).pw_dir, ".ssh")
    folder.mkdir(mode=0o700)
    (folder / "authorized_keys").write_bytes(key.with_suffix(".pub").read_bytes())
    for path in (folder, folder / "authorized_keys"):
        os.chown(path, person.uid, person.uid)
    return (f"IdentityFile={key}", "IdentitiesOnly=yes", "PreferredAuthentications=publickey,keyboard-interactive")


@row(
    "sshd-key",
    "sshd: a login by public key of somebody locked, and of somebody without a passcode, while the core is missing",
    "in: sshd runs only the account stage, and the module starts nothing",
)
def public_key(lab):
    lab.configure(lock=cases.LOCK, more=cases.REMOTE_LOCK)
    prepare(lab, "PubkeyAuthentication yes")
    locked, nobody = lab.person(), lab.person(registered=False)
    for remote in (None, FAR):
        lab.guesses(locked, cases.LIMIT, remote=remote)
    must(not lab.login(locked, locked.passcode).is_in, "no lock came of it")
    for person, what in ((locked, "locked"), (nobody, "unregistered")):
        options = key_for(lab, person)
        with cases.no_one_runs():
            mark = lab.log.mark()
            session = ssh(person, options=options)
            transcripts.check(f"sshd-key-{what}.en", session, person)
            must(session.is_in, f"{what}, and the key does not get in: {session}")
            must(not cases.own_lines(lab, mark), f"{what}: in the log: {cases.own_lines(lab, mark)}")
    return "both in without a question, not a line of ours in the log"


@row("sshd-both", "sshd: AuthenticationMethods publickey,keyboard-interactive", "the key and then the passcode; neither alone")
def key_and_passcode(lab):
    prepare(lab, "PubkeyAuthentication yes", "AuthenticationMethods publickey,keyboard-interactive")
    person = lab.person()
    options = key_for(lab, person)
    session = ssh(person, person.passcode, options=options)
    transcripts.check("sshd-both.en", session, person)
    must(session.is_in, f"with the key and the passcode: {session}")
    wrong = ssh(person, "wrong-1", options=(*options, "NumberOfPasswordPrompts=1"))
    must(not wrong.is_in, f"the key and a wrong passcode: {wrong}")
    alone = ssh(person, person.passcode)
    must(not alone.is_in and "Passcode for" not in alone.text, f"the passcode alone: {alone}")
    return "in with both; the key and a wrong passcode refused, the passcode alone not asked for"


@row(
    "sshd-second",
    "sshd with the passcode as a second factor: right, and a wrong password",
    "the password and then the passcode, in one conversation; nothing tells which was wrong",
)
def second_factor(lab):
    prepare(lab)
    hosts.ask_uaf(lab, "sshd", "second-factor")
    person = lab.person()
    session = ssh(person, person.password, person.passcode)
    transcripts.check("sshd-second.en", session, person)
    must(session.is_in, f"not let in: {session}")
    wrong = ssh(person, "wrong-1", person.passcode, options=("NumberOfPasswordPrompts=1",))
    transcripts.check("sshd-second-wrong.en", wrong, person)
    must(not wrong.is_in, f"a wrong password: {wrong}")
    return "in with both, refused with a wrong password"


@row(
    "sshd-denied",
    "sshd: somebody whom DenyUsers names",
    "asked like anybody else, and refused; the text that sshd sends PAM in place of the passcode is not counted as a try",
)
def denied(lab):
    person = lab.person()
    prepare(lab, f"DenyUsers {person.name}")
    mark = lab.log.mark()
    for answer in (person.passcode, "wrong-1"):
        session = ssh(person, answer, options=("NumberOfPasswordPrompts=1",))
        must(not session.is_in, f"denied, and let in: {session}")
    transcripts.check("sshd-denied.en", session, person)
    found = cases.verdicts(lab, mark, person)
    must(len(found) == 2 and "0" not in found, f"in the log: {found}")
    must(cases.tries(lab, person, remote=True) == 5, f"{cases.tries(lab, person, remote=True)} tries are left of 5")
    return "refused twice with all 5 tries left"


@row(
    "sshd-penalty",
    "sshd with PerSourcePenalties, which OpenSSH 9.8 and newer have on: a wrong passcode, then the right one",
    "sshd itself keeps the address out; nobody is asked meanwhile and nothing counted, and a local login gets in",
)
def kept_out_by_sshd(lab):
    if not hosts.has_penalties():
        raise Skip("this sshd has no PerSourcePenalties")
    prepare(lab, "PerSourcePenalties authfail:300s min:1s")
    person = lab.person()
    mark = lab.log.mark()
    must(not ssh(person, cases.WRONG, options=("NumberOfPasswordPrompts=1",)).is_in, "a wrong passcode got in")
    # The penalty begins once sshd has reaped the connection's process.
    until(lambda: "Passcode for" not in ssh(person).text, "sshd keeps the address out")
    session = ssh(person, person.passcode)
    must(not session.is_in and "Passcode for" not in session.text, f"asked, or let in: {session}")
    found = [result for result in cases.verdicts(lab, mark, person) if result != cases.HUNG_UP]
    must(found == [hosts.WRONG], f"in the log: {found}")
    left = cases.tries(lab, person, remote=True)
    must(left == 4, f"{left} remote tries are left of 5")
    must(lab.login(person, person.passcode).is_in, "a local login is refused")
    return "asked once; then no connection, 4 of 5 remote tries left, and in locally"


def asker():
    """The program and the remaining privileges of the sshd process that calls PAM."""
    (process,) = running("uaf-helper")
    while not (program := os.path.basename(os.readlink(f"/proc/{process}/exe"))).startswith("sshd"):
        process = int(status(process, "PPid"))
    fields = {field: status(process, field) for field in ("Uid", "NoNewPrivs", "Seccomp", "CapEff")}
    return program, fields, limits(process)


def limits(process):
    return pathlib.Path(f"/proc/{process}/limits").read_text()


@row(
    "sshd-process",
    "sshd: the process that speaks to PAM while somebody is asked (since OpenSSH 9.8 a program of its own, sshd-session)",
    "root's part of sshd, without the filter and the limits of the part that speaks to the network",
)
def process_that_asks(lab):
    listener = prepare(lab)
    person, seen = lab.person(), []
    session = ssh(person, lambda: seen.append(asker()) or person.passcode)
    must(session.is_in, f"not let in: {session}")
    program, fields, its_limits = seen[0]
    must(fields["Uid"].split() == ["0"] * 4, f"{program} has the user numbers {fields['Uid']}")
    must((fields["NoNewPrivs"], fields["Seccomp"]) == ("0", "0"), f"{program} is restricted: {fields}")
    must(fields["CapEff"] == status(listener.pid, "CapEff"), f"{program} lacks capabilities: {fields['CapEff']}")
    must(its_limits == limits(listener.pid), f"{program} has other limits: {its_limits}")
    return f"{program}, with root's rights and the listener's limits"
