"""Answers that no honest server would give: broken, endless, or with texts that contain terminal escapes."""

import collections
import time

from lab import forger, hosts
from lab.processes import Watch
from lab.table import must, row

TIMEOUT = 1
# The exchange's own time limit, the key derivation, and the core's margin.
LONGEST = TIMEOUT + 3
MEBIBYTES = 100


def endless(head):
    """A body of 100 MiB, after a header that announces its length or does not."""
    yield head
    for _ in range(MEBIBYTES * 16):
        yield bytes(65536)


def slowly(body):
    """Sends one byte every 200 ms."""
    yield forger.answer(b"", length=len(body))
    for byte in body:
        yield bytes([byte])
        time.sleep(0.2)


UNTOLD = b"HTTP/1.1 200 OK\r\nContent-Type: application/fido+uaf\r\nConnection: close\r\n\r\n"

# Each function turns the server's answer into a broken one.
BROKEN = {
    "truncated": lambda said: forger.answer(said[:-15]),
    "less than announced": lambda said: forger.answer(said, length=len(said) + 1000),
    "more than announced": lambda said: forger.answer(said, length=len(said) - 15),
    "empty": lambda said: forger.answer(b""),
    "not JSON": lambda said: forger.answer("<html>Welcome to the hotel's network</html>"),
    "a list": lambda said: forger.answer(b"[" + said + b"]"),
    "twice": lambda said: forger.answer(said + said),
    "text behind it": lambda said: forger.answer(said + b"x"),
    "wrong type": lambda said: forger.answer(said, kind="text/html"),
    "byte order mark": lambda said: forger.answer(b"\xef\xbb\xbf" + said),
    "UTF-16": lambda said: forger.answer(said.decode().encode("utf-16")),
    "not UTF-8": lambda said: forger.answer(b'{"x":"\xff\xfe",' + said[1:]),
    "100,000 levels deep": lambda said: forger.answer(b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"," + said[1:]),
    "a key twice": lambda said: forger.answer(b'{"statusCode":1400,' + said[1:]),
    "a key twice, escaped": lambda said: forger.answer(b'{"status\\u0043ode":1400,' + said[1:]),
    "status as text": lambda said: forger.answer(said.replace(b"1200", b'"1200"', 1)),
    "status as fraction": lambda said: forger.answer(said.replace(b"1200", b"1200.5", 1)),
    "status beyond 64 bits": lambda said: forger.answer(said.replace(b"1200", b"18446744073709552816", 1)),
    "redirect": lambda said: forger.answer(b"", status="302 Found", more="Location: https://127.0.0.1:8443/uaf/get\r\n"),
    "HTTP 500": lambda said: forger.answer(said, status="500 Internal Server Error"),
    "not HTTP": lambda said: b"\x00\x01\x02" * 1000,
    "300 headers": lambda said: forger.answer(said, more="X-Header: value\r\n" * 300),
    "100 MiB announced": lambda said: endless(forger.answer(b"", length=MEBIBYTES << 20)),
    "100 MiB unannounced": lambda said: endless(UNTOLD),
    "a byte each 200 ms": slowly,
}


def spoil(lab, path, change):
    """A proxy that spoils the real server's answers to one kind of request."""

    def reply(request):
        status, said = forger.ask(request.path, request.body)
        return change(said) if request.path == path else forger.answer(said, status=f"{status} as said")

    return reply


@row(
    "A12",
    "a truncated, endless, slow or malformed reply from the server",
    f"an error within {LONGEST} s of a time-out of {TIMEOUT} s, bounded memory, nothing counted, never success",
    causes=("the server", "the network"),
)
def broken_answers(lab):
    person = lab.person()
    between = forger.Forger(lab, forger.passing, shown=forger.STOLEN)
    lab.configure(port=between.port, server=f"timeout = {TIMEOUT}")
    login = lab.login(person, person.passcode)
    must(login.is_in, f"the server in between does not pass a login on: {login}")
    codes, slowest, tried = collections.Counter(), 0.0, 0
    with Watch() as watch:
        for path in ("/uaf/get", "/uaf/respond"):
            for name, change in BROKEN.items():
                between.reply = spoil(lab, path, change)
                started = time.monotonic()
                login = lab.login(person, person.passcode)
                took = time.monotonic() - started
                tried, slowest = tried + 1, max(slowest, took)
                codes[login.code] += 1
                must(not login.is_in, f"{path}, {name}: let in")
                must(login.code in (hosts.AUTH_ERR, hosts.SERVICE_ERR), f"{path}, {name}: {login}")
                must(took < LONGEST, f"{path}, {name}: {took:.1f} s")
    must(watch.peak["uaf-helper"] and watch.peak["uaf-fetch"], f"no program was seen: {watch.peak}")
    must(max(watch.peak.values()) < 64, f"memory at most, in MiB: {watch.peak}")
    left = lab.status(person)["authenticators"][0]["remainingTries"]
    must(left == 5, f"{left} tries are left")
    lab.configure()
    must(lab.login(person, person.passcode).is_in, "the person is not let in afterwards")
    seen = ", ".join(f"{count} x {code}" for code, count in sorted(codes.items()))
    return (
        f"{tried} answers, each an error (PAM codes {seen}), the slowest after {slowest:.1f} s; at most "
        f"{watch.peak['uaf-fetch']} MiB in uaf-fetch and {watch.peak['uaf-helper']} MiB in the helper; "
        "nothing was counted"
    )
