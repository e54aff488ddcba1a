"""Audit rows sent to receivers: unreachable or replaced receivers, and instances that end meanwhile."""

import re

from fleet.programs import write
from fleet.receivers import HOST, Syslog, Webhook, made, text_of
from fleet.rsyslog import Rsyslog
from fleet.server import UNLIMITED
from fleet.single import Single
from lab.table import must, row
from lab.waiting import until

SECRET = "4f" * 32


def options(syslog, webhook):
    """The options of `serve` for both receivers."""
    secret = write("/srv/webhook.secret", f"{SECRET}\n", 0o600)
    return (
        *("--audit-syslog", f"{HOST}:{syslog.port}", "--audit-syslog-ca", syslog.certificate),
        *("--audit-webhook", f"https://{HOST}:{webhook.port}/audit", "--audit-webhook-ca", webhook.certificate),
        *("--audit-webhook-secret", secret),
    )


def audit(single):
    """All rows of the store, as pairs of number and hash."""
    found = single.sql("SELECT number, encode(hash, 'hex') FROM uaf.audit ORDER BY number")
    return [(int(number), text_of(bytes.fromhex(digits))) for number, digits in found]


def has_all(receiver, single):
    return set(audit(single)) <= set(receiver.rows)


def told(instances, text):
    """How many lines of the instances' logs contain a text."""
    return sum(line.count(text) for instance in instances for line in instance.program.told().splitlines())


def unanswered(instance):
    """The sinks that an instance has reported as failing, but not as back since then."""
    open_sinks = set()
    for line in instance.program.told().splitlines():
        for sink in re.findall(r"audit-sink-failed.* sink=(\S+)", line):
            open_sinks.add(sink)
        for sink in re.findall(r"audit-sink-back.* sink=(\S+)", line):
            open_sinks.discard(sink)
    return open_sinks


@row(
    "F23",
    "syslog and webhook: away under logins, then a server with another certificate, then right; an instance is killed",
    "no login is disturbed, the wrong server gets nothing, the right ones get every row of the store, one line for a reason",
    causes=("the machine",),
    limit=240,
)
def sinks(lab):
    single = Single(lab)
    right, wrong = made("receivers", [HOST]), made("impostor", [HOST])
    syslog, webhook = Syslog(lab, right), Webhook(lab, right, SECRET)
    instances = [single.instance(limits=(*UNLIMITED, *options(syslog, webhook))) for _ in range(2)]
    for instance in instances:
        instance.start()
    people = lab.people(4, instances[0])
    with lab.load("F23", people, instances[0]) as load:
        load.for_(3)
        syslog.up(home=wrong)
        until(lambda: told(instances, "audit-sink-failed") and syslog.faults, "the wrong server to be refused", 60)
        must(not syslog.bytes, f"the wrong server has got {syslog.bytes} bytes")
        syslog.down()
        syslog.up()
        webhook.up()
        load.for_(2)
    load.must_be_honest()
    must(not load.later, f"told to try again later: {dict(load.later)}")
    until(lambda: webhook.rows and syslog.rows, "the first rows", 90)
    instances[0].program.kill()
    channel = lab.channel(instances[1])
    for person in people:
        person.login(channel)
    for receiver in (syslog, webhook):
        until(lambda receiver=receiver: has_all(receiver, single), "every row to arrive", 120)
        must(set(receiver.rows) == set(audit(single)), "a row arrived that the store does not have")
    must(not webhook.faults, f"the webhook was told something wrong: {webhook.faults}")
    # Only the other instance's log: the killed one may have reported a failure last. After failures, an instance waits up to 60
    # seconds.
    until(lambda: not unanswered(instances[1]), "the log to say that both are back", 90)
    count = len(audit(single))
    return f"{count} rows, syslog got {len(syslog.rows)}, the webhook {len(webhook.rows)}; {len(load.yes)} logins beside it"


@row(
    "F24",
    "Debian's rsyslog with TLS, which asks for the sender's certificate: another server's certificate, right, ended, right",
    "an impostor gets nothing; rsyslog has every row of the store, also those of the time in which it was down",
    causes=("the machine",),
    limit=180,
)
def rsyslog(lab):
    single = Single(lab)
    home, impostor = made("rsyslog-right", [HOST], sender=["uaf.example"]), made("rsyslog-impostor", [HOST])
    receiver = Rsyslog(lab, home, "uaf.example")
    instance = single.instance(
        limits=(
            *UNLIMITED,
            *("--audit-syslog", f"{HOST}:{receiver.port}", "--audit-syslog-ca", home / "ca.pem"),
            *("--audit-syslog-certificate", home / "sender.pem", "--audit-syslog-key", home / "sender.key"),
        )
    )
    receiver.up(home=impostor)
    instance.start()
    people, channel = lab.people(3, instance), lab.channel(instance)

    def log_in():
        for person in people:
            person.login(channel)

    log_in()
    until(lambda: told([instance], "audit-sink-failed"), "the impostor to be refused", 60)
    must(not receiver.lines, f"the impostor has got {receiver.lines}")
    receiver.down()
    for _ in range(2):
        receiver.up()
        until(lambda: has_all(receiver, single), "every row to arrive", 90)
        receiver.down()
        log_in()
    must(set(receiver.rows) <= set(audit(single)), "a row arrived that the store does not have")
    must(len(receiver.rows) == len(receiver.lines), f"a line without a row: {receiver.lines}")
    # log audit (13) and notice (5) make 109: nobody was refused here.
    wrong = [line for line in receiver.lines if not re.match(rb"109 uaf-server [a-z-]+ \[uafAudit@32473 .*\]$", line)]
    must(not wrong, f"rsyslog reads these otherwise: {wrong}")
    return f"{len(set(receiver.rows))} rows in {len(receiver.lines)} messages, and none for the impostor"
