"""Recorded messages sent again: by the interceptor, by a different person, by a copy of the machine."""

import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess

from attack import wire
from attack.recorder import Answer, Recorder, ServerLog, decode, enrolment_code, request, respond
from lab import forger, machine
from lab.table import must, row

OK = 1200
AT_ONCE = 50


@row(
    "A14",
    "interception with a certificate that the client trusts",
    "the server refuses because of the channel binding",
    causes=("the network",),
)
def interception(lab):
    person, newcomer = lab.person(), lab.person(registered=False)
    log = ServerLog()
    leaf = pathlib.Path("/srv/uaf/certificate.pem").read_text().split("-----")[2].replace("\n", "")
    changes = {
        "as it came": lambda answer: None,
        "binding of the real server": lambda answer: answer.parameters["channelBinding"].update(
            tlsServerCertificate=leaf.replace("+", "-").replace("/", "_").rstrip("=")
        ),
        "binding left out": lambda answer: answer.parameters.update(channelBinding={}),
    }

    def reply(heard):
        if heard.path.endswith("/respond") and "assertions" in heard.body.decode():
            answer = Answer(heard.body)
            changes[name](answer)
            answer.is_changed = name != "as it came"
            heard.body = answer.body()
        return forger.passing(heard)

    between = forger.Forger(lab, reply)
    lab.configure(port=between.port)
    logins = {}
    for name in changes:
        logins[name] = lab.login(person, person.passcode)
        must(not logins[name].is_in, f"{name}: let in through an interceptor")
    name = "as it came"
    # A payload that names the interceptor, as a phished one would.
    url = f"https://127.0.0.1:{between.port}"
    payload = lab.run("uaf-server", "enrol", newcomer.name, "--state", "/srv/uaf", "--server", url).stdout
    line = next(word for word in payload.split() if word.startswith("eyJ"))
    registration = lab.run(
        "uafctl",
        "register",
        newcomer.name,
        "--payload",
        "-",
        check=False,
        answers=f"{line}\n{newcomer.passcode}\n{newcomer.passcode}\n",
    )
    must(registration.returncode != 0, "a registration went through an interceptor")
    reasons = log.reasons()
    must(
        reasons.count("channel-binding-mismatch") >= 2 and len(reasons) > len(changes),
        f"reasons: {reasons}; registration: {registration.stdout}",
    )
    must("channel binding is wrong" in logins["as it came"].text, f"the person is told: {logins['as it came']}")
    lab.configure()
    must(lab.login(person, person.passcode).is_in, "not let in without the interceptor")
    return f"{len(between.heard)} requests intercepted, all refused: " + count(reasons)


def count(reasons):
    return ", ".join(f"{number} x {reason}" for reason, number in sorted(collections.Counter(reasons).items()))


@row(
    "A15",
    f"responses sent again ({AT_ONCE} at the same time), late, for another person, for another operation",
    "at most one success, for the response that was made for the request",
    causes=("somebody remote", "the network"),
)
def replays(lab):
    folder, port = "/srv/uaf-replay", 8444
    trusted = forger.TRUSTED.read_bytes()
    server = lab.start_server(folder, port)
    lab.after(lambda: forger.TRUSTED.write_bytes(trusted))
    lab.after(lambda: lab.stop(server))
    people = [lab.person(registered=False) for _ in range(2)]
    lab.configure(port=port)
    for person in people:
        lab.run(
            "uafctl",
            "register",
            person.name,
            "--payload",
            lab.payload(person, folder),
            answers=f"{person.passcode}\n{person.passcode}\n",
        )
    first, second = people
    recorder = Recorder(lab, folder, port)

    body = recorder.record(first)
    log = ServerLog(port)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(lambda _: respond(body, port), range(AT_ONCE)))
    accepted = statuses.count(OK)
    must(accepted == 1, f"{accepted} of {AT_ONCE} equal answers were accepted: {statuses}")
    seen = {f"{AT_ONCE} at once": f"1 accepted, {count(log.reasons())}"}

    for name, change in CHANGES.items():
        mine, others = Answer(recorder.record(first)), Answer(recorder.record(second))
        body = change(mine, others, port, folder)
        log = ServerLog(port)
        status = respond(body, port)
        reasons = log.reasons()
        must(status != OK and reasons, f"{name}: {status} {reasons}")
        seen[name] = reasons[-1]
    # The unchanged answer is accepted, once.
    body = recorder.record(first)
    must([respond(body, port), respond(body, port) == OK] == [OK, False], "an honest answer is refused, or taken twice")

    seen["a token as proof for a deregistration"] = stray_token(recorder, first, port)
    seen["after 200 s"] = expired(lab, recorder, first, server, folder, port)
    return "; ".join(f"{name}: {what}" for name, what in seen.items())


def to_other_context(mine, others, port, folder):
    mine.context = others.context
    return mine.body()


def in_others_request(mine, others, port, folder):
    mine.header["serverData"] = others.header["serverData"]
    return mine.body()


def in_others_message(mine, others, port, folder):
    others.message[0]["assertions"] = mine.message[0]["assertions"]
    return others.body()


def for_new_challenge(mine, others, port, folder):
    mine.challenge(request(mine.context, port=port))
    return mine.body()


def for_registration(mine, others, port, folder):
    code = enrolment_code(mine.context["username"], folder)
    mine.challenge(request({**mine.context, **wire.by_code(code, mine.context["username"])}, "Reg", port))
    return mine.body()


def as_registration(mine, others, port, folder):
    mine.header["op"] = "Reg"
    return mine.body()


CHANGES = {
    "under another name": to_other_context,
    "with another's session data": in_others_request,
    "in another's message": in_others_message,
    "for a later challenge": for_new_challenge,
    "for a registration's challenge": for_registration,
    "as a registration": as_registration,
}


def stray_token(recorder, person, port):
    """The token of a login is not proof for a deregistration."""
    body = recorder.record(person)
    said = json.loads(forger.ask("/uaf/respond", body, port)[1])
    token = said["additionalTokens"][0]["value"]
    log = ServerLog(port)
    status = request({**Answer(body).context, "proof": token, "deregisterAll": True}, "Dereg", port)
    must(isinstance(status, int) and status != OK, f"a login's token deregistered: {status}")
    return log.reasons()[-1]


# libfaketime is not used, because under it the server's program does not find its arguments.
LATER = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME)
    now->tv_sec += 200;
  return result;
}
time_t time(time_t *when)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (when)
    *when = now.tv_sec;
  return now.tv_sec;
}
"""


def clock_ahead(lab):
    """A library that moves a program's clock 200 s ahead."""
    source = pathlib.Path("/tmp/later.c")
    source.write_text(LATER)
    lab.run("cc", "-shared", "-fPIC", source, "-o", "/tmp/later.so")
    return "/tmp/later.so"


def expired(lab, recorder, person, server, folder, port):
    """The answer arrives when the server's clock is 200 s ahead."""
    body = recorder.record(person)
    lab.stop(server)
    os.environ["LD_PRELOAD"] = clock_ahead(lab)
    try:
        later = lab.start_server(folder, port)
    finally:
        del os.environ["LD_PRELOAD"]
    lab.after(lambda: lab.stop(later))
    log = ServerLog(port)
    status = respond(body, port)
    must(status != OK, "an answer was accepted after 200 s")
    return log.reasons()[-1]


# --- A copy of the machine's state

BEHIND = 6


@row(
    "A16",
    "a copy of the state folder is used in addition to the original",
    "an equal or lower counter is refused and logged; of two responses at the same time, one is accepted",
    causes=("root",),
)
def cloned(lab):
    person = lab.person()
    clone = pathlib.Path("/var/lib/pam-uaf-clone")
    lab.after(lambda: shutil.rmtree(clone, ignore_errors=True))

    def copy():
        shutil.rmtree(clone, ignore_errors=True)
        subprocess.run(["cp", "-a", str(machine.STATE), str(clone)], check=True)

    def configure(**settings):
        """The configuration, and a second one for the copy."""
        settings.get("recorder") or lab.configure()
        path = pathlib.Path("/etc/security/pam_uaf-clone.conf")
        path.write_text(machine.CONFIGURATION.read_text().replace("[state]", f'[state]\ndirectory = "{clone}"'))
        lab.stack("clone", f"auth required pam_uaf.so conf={path}", "account required pam_permit.so")

    copy()
    configure()
    must(lab.login(person, person.passcode, "clone").is_in, "the copy does not work at all: nothing is shown")
    copy()
    for _ in range(BEHIND):
        must(lab.login(person, person.passcode).is_in, "the original is not let in")
    log = ServerLog()
    mark = lab.log.mark()
    login = lab.login(person, person.passcode, "clone")
    refused = log.reasons()
    must(not login.is_in, f"a copy {BEHIND} logins old was let in")
    must(refused and set(refused) == {"counter-not-increased"}, f"the server logged {refused}")
    lines = [line for line in lab.log.since(mark, "event=authenticate") if "event=authenticate" in line]
    must(lines and "result=0" not in lines[-1], f"the machine logged {lines}")
    # Simultaneously: both sign with the same counter.
    copy()
    recorder = Recorder(lab)
    configure(recorder=recorder)
    pair = [recorder.record(person), recorder.record(person, "clone")]
    must(counter(pair[0]) == counter(pair[1]), "the pair has two counters")
    log = ServerLog()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        statuses = list(pool.map(respond, pair))
    must(statuses.count(OK) == 1, f"of a pair with the same counter: {statuses}")
    must("counter-not-increased" in log.reasons(), f"the server logged {log.reasons()}")
    return (
        f"a copy {BEHIND} logins old: PAM code {login.code}, the server logged {count(refused)}; of two answers "
        f"with counter {counter(pair[0])} one accepted, one {log.reasons()[-1]}"
    )


def counter(body):
    """The signature counter in an answer's assertion (TAG_COUNTERS, 0x2E0D)."""
    assertion = decode(Answer(body).message[0]["assertions"][0]["assertion"])
    place = assertion.index(b"\x0d\x2e\x04\x00") + 4
    return int.from_bytes(assertion[place : place + 4], "little")
