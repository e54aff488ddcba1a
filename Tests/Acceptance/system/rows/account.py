"""The account stage with account_check: logins by real hosts in which pam_uaf asks nothing."""

import os
import pathlib

from lab import hosts
from lab.machine import PORT, Person
from lab.table import must, row
from lab.waiting import until
from system import cases, transcripts
from system.rows.sshd import key_for, ssh
from system.rows.sshd import prepare as prepare_sshd

SERVER = 'require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"'
STACK = pathlib.Path("/etc/pam.d/common-account")
ROOT = Person("root", 0, "")
CRON = "/usr/sbin/cron"
CRONTABS = pathlib.Path("/var/spool/cron/crontabs")
# cron runs the @reboot jobs only once after a boot, and remembers that by this file.
CRON_HAS_RUN = pathlib.Path("/run/crond.reboot")


def ask_about_accounts(lab, argument="account_check"):
    """Adds the line to the stacks as docs/account-check.md says, and gives the machine the server's verdict key."""
    configure(lab)
    lab.stack(STACK.name, f"account required pam_uaf.so {argument}", *STACK.read_text().splitlines())


def configure(lab, port=PORT):
    lab.configure(server=SERVER, port=port)


def disable(lab, person):
    lab.run("uaf-server", "disable", person.name, "--reason", "has left", "--state", "/srv/uaf")


def enable(lab, person):
    lab.run("uaf-server", "enable", person.name, "--state", "/srv/uaf")


def told_once(session):
    return session.text.count("This account is disabled. Ask the administrator.") == 1


@row(
    "account-sshd",
    "sshd with account_check: a public key of somebody active, disabled, disabled with the server away, enabled again",
    "in; refused with our text, also without the server; in again",
)
def public_key(lab):
    person = lab.person()
    options = key_for(lab, person)
    prepare_sshd(lab, "PubkeyAuthentication yes")
    ask_about_accounts(lab)
    must(ssh(person, options=options).is_in, "active, and the key does not get in")
    disable(lab, person)
    for what, port in (("disabled", PORT), ("disabled-down", cases.CLOSED_PORT)):
        configure(lab, port)
        session = ssh(person, options=options)
        transcripts.check(f"account-sshd-{what}.en", session, person)
        must(not session.is_in and told_once(session), f"{what}: {session}")
    configure(lab)
    enable(lab, person)
    must(ssh(person, options=options).is_in, "enabled again, and the key does not get in")
    return "refused by a key as well, with the server and without it; in when enabled"


@row(
    "account-sudo",
    "sudo with NOPASSWD and account_check: the person active, disabled",
    "the active person is in without a prompt; the disabled one is refused, and told why",
)
def sudo_without_password(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) NOPASSWD: ALL")
    person, other = lab.person(), lab.person()
    ask_about_accounts(lab)
    must(hosts.sudo(person).is_in, "active, and refused")
    disable(lab, person)
    for language, environment in cases.LANGUAGES.items():
        session = hosts.sudo(person, environment=environment)
        transcripts.check(f"account-sudo-disabled.{language}", session, person)
        must(not session.is_in, f"{language}: disabled, and in: {session}")
    must(hosts.sudo(other).is_in, "somebody else is refused")
    return "the disabled one refused without a question, another one in"


@row(
    "account-su",
    "root's su with account_check, to somebody active, disabled and unregistered; "
    "with account_check=required, to the first and the last",
    "the disabled person is refused; the unregistered one only with account_check=required",
)
def su_by_root(lab):
    ask_about_accounts(lab)
    active, disabled, unknown = lab.person(), lab.person(), lab.person(registered=False)
    disable(lab, disabled)
    must(hosts.su(ROOT, active).is_in, "active, and refused")
    session = hosts.su(ROOT, disabled)
    transcripts.check("account-su-disabled.en", session, disabled)
    must(not session.is_in and told_once(session), f"disabled: {session}")
    must(hosts.su(ROOT, unknown).is_in, "unregistered, and refused without required")
    STACK.write_text(STACK.read_text().replace("account_check", "account_check=required"))
    must(hosts.su(ROOT, active).is_in, "active, and refused with required")
    must(not hosts.su(ROOT, unknown).is_in, "unregistered, and in with required")
    return "root becomes whom nothing calls disabled; with required whom the server calls active"


@row(
    "account-cron",
    "cron with account_check and the server away: a job of somebody whom the machine knows as disabled, and of another",
    "the job of the disabled one is refused, the other runs at once, and the server is not asked",
)
def jobs(lab):
    hosts.needs(CRON)
    active, disabled = lab.person(), lab.person()
    ask_about_accounts(lab)
    disable(lab, disabled)
    must(not hosts.su(ROOT, disabled).is_in, "disabled, and in")
    configure(lab, cases.CLOSED_PORT)
    CRON_HAS_RUN.unlink(missing_ok=True)
    for person in (active, disabled):
        crontab(lab, person, f"@reboot id -un >/tmp/job-{person.name}")
    mark = lab.log.mark()
    daemon = lab.start(CRON, "-f")
    lab.after(lambda: lab.stop(daemon))
    until(pathlib.Path(f"/tmp/job-{active.name}").exists, "the job of the active one runs")
    refused = lab.log.since(mark, wait_for="Authentication failure")
    must(any("event=account result=9000" in line and f"uid={disabled.uid}" in line for line in refused), f"in the log: {refused}")
    must(not any("CMD" in line and disabled.name in line for line in refused), f"the job ran: {refused}")
    must(not pathlib.Path(f"/tmp/job-{disabled.name}").exists(), "the job left its file")
    asked = [line for line in refused if "the server is not asked for this service" in line]
    must(any(f"uid={active.uid}" in line for line in asked), f"the server was asked: {refused}")
    return "refused by what is kept; the other one's job ran, and nobody asked the server"


def crontab(lab, person, line):
    """Gives somebody a table of jobs, as crontab(1) would write it."""
    path = CRONTABS / person.name
    path.write_text(line + "\n")
    path.chmod(0o600)
    os.chown(path, person.uid, person.uid)
    lab.after(path.unlink)
