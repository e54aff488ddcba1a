"""Sections for one service, and the differences for remote logins."""

from lab import hosts
from lab.table import must, row
from lab.waiting import at_once
from system import cases, transcripts
from system.rows import login, sshd

PATTERN = "147896"
SECTIONS = """
[service.sudo]
authenticator = "pattern"
reason = "changes to this machine"
transaction = false
cancel_text = { en = "empty line: use your password", ko = "빈 줄: 비밀번호로 로그인" }
[service.su]
reason = "becoming somebody else"
[service.sshd]
authenticator = "passcode"
language = "ko"
[service.login]
transaction = true
"""


def prepare(lab):
    for service in ("sudo", "su"):
        hosts.ask_uaf(lab, service)
    login.prepare(lab)
    sshd.prepare(lab)
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")


@row(
    "sections-service",
    "[service.NAME]: authenticator, reason, cancel_text, language, transaction",
    "each service asks as its section says",
)
def services(lab):
    both = '["passcode", "pattern"]'
    person, caller = lab.person(), lab.person(registered=False)
    lab.configure(authenticators=both)
    lab.run("uafctl", "register", person.name, "pattern", "--payload", lab.payload(person), answers=f"{PATTERN}\n{PATTERN}\n")
    prepare(lab)
    lab.configure(authenticators=both, more=SECTIONS)
    sessions = dict(
        zip(
            ("sudo", "su", "login", "sshd"),
            at_once(
                lambda: hosts.sudo(person, PATTERN),
                lambda: hosts.su(caller, person, "1", person.passcode),
                lambda: hosts.console(person, "1", person.passcode),
                lambda: sshd.ssh(person, person.passcode),
            ),
        )
    )
    for service, session in sessions.items():
        transcripts.check(f"sections-{service}.{'ko' if service == 'sshd' else 'en'}", session, person)
        must(session.is_in, f"{service}: {session}")
    session = hosts.sudo(person, "", person.password)
    transcripts.check("sections-sudo-password.en", session, person)
    must(session.is_in, f"the other way in: {session}")
    return (
        "sudo asked for the pattern with its reason, su offered both with its own, login had its name confirmed, "
        "ssh asked for the passcode in Korean; an empty line in sudo led to the password"
    )


REMOTE_LOCK = "[lock.remote]\nretry_count_to_lock = 2"


@row(
    "sections-remote",
    "[lock.remote]; hide_state by default, and set in [service.NAME]",
    "ssh has a lock of its own and tells nothing, sudo tells the tries left; "
    "with hide_state set the other way round, ssh tells and sudo does not",
)
def remote(lab):
    prepare(lab)
    lab.configure(lock="retry_count_to_lock = 4\nlock_time = 300\nmax_lock_count = 3", more=REMOTE_LOCK)
    person, hidden, shown = (lab.person() for _ in range(3))
    by_ssh = sshd.ssh(person, cases.WRONG, cases.WRONG + "-2", person.passcode)
    by_sudo = hosts.sudo(person, cases.WRONG)
    transcripts.check("sections-remote-ssh.en", by_ssh, person)
    transcripts.check("sections-local-sudo.en", by_sudo, person)
    must(not by_ssh.is_in and "left" not in by_ssh.text and "Locked" not in by_ssh.text, f"ssh: {by_ssh}")
    must("3 tries left" in by_sudo.text, f"sudo: {by_sudo}")
    must(hosts.sudo(person, person.passcode).is_in, "locked for ssh, and sudo is locked as well")
    lab.configure(more=REMOTE_LOCK + "\n[service.sudo]\nhide_state = true\n[service.sshd]\nhide_state = false")
    by_ssh, by_sudo = at_once(lambda: sshd.ssh(shown, cases.WRONG), lambda: hosts.sudo(hidden, cases.WRONG))
    transcripts.check("sections-remote-ssh-shown.en", by_ssh, shown)
    transcripts.check("sections-local-sudo-hidden.en", by_sudo, hidden)
    must("1 try left" in by_ssh.text, f"ssh with hide_state = false: {by_ssh}")
    must("left" not in by_sudo.text, f"sudo with hide_state = true: {by_sudo}")
    return "ssh locked after 2 and told nothing, sudo told 3 tries left and let in; with hide_state the other way round"
