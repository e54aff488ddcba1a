"""A server behind proxies, strangers who write the proxies' header themselves, and a server that is stopped."""

import http.client
import json
import pathlib
import signal
import sqlite3
import ssl
import threading

from attack.rows.same_address import ADDRESS, FOLDER, PORT, near_server, register_near, serve_near
from lab import forger, hosts
from lab.table import Broken, must, row
from lab.waiting import until

RATE, PROXY = 10, "127.0.0.1"
# The headers of strangers who want to be counted as a different address, or not at all.
FORGED = ("198.51.100.{0}", "127.0.0.1", "::1", "198.51.100.{0}, 127.0.0.1", '", 198.51.100.{0}', "unknown", "", "1.2.3")


def asked(connection, *lines):
    """Asks for a login of an unknown name with these header lines; returns the HTTP status."""
    body = json.dumps({"op": "Auth", "context": json.dumps({"username": "nobody1"})}).encode()
    connection.putrequest("POST", "/uaf/get")
    for name, value in (("Content-Type", forger.UAF), ("Content-Length", str(len(body))), *lines):
        connection.putheader(name, value)
    connection.endheaders(body)
    response = connection.getresponse()
    response.read()
    return response.status


def connected(source):
    return http.client.HTTPSConnection(
        ADDRESS, PORT, timeout=30, source_address=(source, 0), context=ssl._create_unverified_context()
    )


def until_limited(source, lines):
    """Asks until the server refuses; returns the number of accepted requests."""
    connection = connected(source)
    for number in range(60 * RATE):
        if asked(connection, *lines(number)) == 429:
            connection.close()
            return number
    raise Broken(f"{60 * RATE} requests from {source} with {lines(0)} were all taken")


@row(
    "A81",
    "endless requests with forged X-Forwarded-For and Forwarded, bypassing the proxy and through it",
    "counted for the address that the proxy saw, or for their own address; nobody else's limit is used up",
    causes=("somebody remote",),
)
def forged_addresses(lab):
    near_server(lab, "--behind", PROXY, "--address-rate", str(RATE), "--account-rate", "0")

    def own(number):
        text = FORGED[number % len(FORGED)].format(number % 250)
        return (("X-Forwarded-For", text), ("Forwarded", f"for={text}"))

    past = until_limited(ADDRESS, own)

    def through(number):
        text = FORGED[number % len(FORGED)].format(number % 250)
        # One proxy extends the line, a different one adds a line.
        added = (("X-Forwarded-For", f"{text}, 203.0.113.7"),)
        apart = (("X-Forwarded-For", text), ("X-Forwarded-For", "203.0.113.7"))
        return (("Forwarded", f"for={text}"), *(added if number % 2 else apart))

    within = until_limited(PROXY, through)
    connection = connected(PROXY)
    other = asked(connection, ("X-Forwarded-For", "203.0.113.7, 203.0.113.8"))
    limited = asked(connection, ("X-Forwarded-For", "203.0.113.8, 203.0.113.7"))
    connection.close()
    must(other == 200, f"another client of the proxy gets HTTP {other}")
    must(limited == 429, f"the flooding one gets HTTP {limited} with its neighbour's address before its own")
    return f"past the proxy {past}, through it {within} until HTTP 429, with {len(FORGED)} forgeries; its neighbour is served"


@row(
    "A82",
    "the server stopped (SIGTERM) while people log in",
    "it ends with 0; no accepted login is missing in its store; all can log in when it runs again",
    causes=("root",),
)
def stopped_under_load(lab):
    server = near_server(lab)
    people = [lab.person(registered=False) for _ in range(4)]
    for person in people:
        register_near(lab, person)
    yes, ends = dict.fromkeys([person.name for person in people], 0), threading.Event()

    def keep_on(person):
        while not ends.is_set():
            if not lab.login(person, person.passcode).is_in:
                return
            yes[person.name] += 1

    threads = [threading.Thread(target=keep_on, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    try:
        until(lambda: min(yes.values()) >= 5, "five logins of each", 120)
        server.send_signal(signal.SIGTERM)
        # A time limit for a hang.
        status = server.wait(60)
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    must(status == 0, f"the server ended with {status}")
    with sqlite3.connect(f"file:{pathlib.Path(FOLDER)}/server.db?mode=ro", uri=True, timeout=10) as database:
        counters = dict(database.execute("SELECT username, max(signCounter) FROM credential GROUP BY username"))
    for person in people:
        seen, counter = yes[person.name], counters[person.name]
        must(counter >= seen, f"{person.name} was let in {seen} times, and the stored counter is {counter}")
    serve_near(lab)
    codes = [lab.login(person, person.passcode).code for person in people]
    must(codes == [hosts.SUCCESS] * len(people), f"after the restart: {codes}")
    return f"{sum(yes.values())} logins let in, none missing; ended with 0; {len(people)} of {len(people)} in after the restart"
