"""Thousands of malformed packets, answers and messages."""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import select
import socket
import subprocess
import threading

from attack.mutation import Mutator
from lab import forger, hosts, machine
from lab.table import must, row

WIRE = machine.ROOT / "Tests/Vectors/wire"
FINISHED, PROMPT, READY = 0x86, 0x81, 0x84
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}


def golden(pattern):
    """The packets of the test vectors whose names match."""
    return [bytes.fromhex(path.read_text()) for path in sorted(WIRE.glob(pattern))]


def field(tag, value):
    return bytes([tag]) + len(value).to_bytes(2) + value


def begin(person=None, operation=1):
    """The packets that the module sends for a person, or that a person's own program sends."""
    fields = field(1, b"\x00\x05") + field(2, bytes([operation]))
    if person:
        fields += field(3, person.uid.to_bytes(4)) + field(4, person.name.encode()) + field(5, person.name.encode())
    return b"\x01" + fields + field(6, b"uaf") + field(13, b"en_GB.UTF-8")


class Conversation:
    """A helper started as the module or systemd starts it, with a socket whose peer is root or a different user."""

    _taking_turns = threading.Lock()

    def __init__(self, uid=0):
        with self._taking_turns:
            # The kernel records the uid of the process that creates the pair.
            os.seteuid(uid)
            self.front, core = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            os.seteuid(0)
        # At descriptor 3, where the core expects it.
        self.process = subprocess.Popen(
            ["sh", "-c", f"exec {machine.HELPER} 3<&{core.fileno()} {core.fileno()}<&-"],
            env=ENVIRONMENT,
            pass_fds=[core.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        core.close()

    def hold(self, first, replies, seconds=20):
        """Sends `first`, answers each prompt with the next reply, and closes; returns the received packets and the exit
        status."""
        heard, replies = [], list(replies)
        try:
            self.front.send(first)
            while select.select([self.front], [], [], seconds)[0] and (packet := self.front.recv(65537)):
                heard.append(packet)
                if packet[0] in (PROMPT, READY):
                    if not replies:
                        break
                    self.front.send(replies.pop(0))
        except OSError:
            # The core has hung up, or the packet is larger than a socket accepts.
            pass
        self.front.close()
        return heard, self.process.wait(seconds)


def at_the_helper(lab, count):
    """Sends mutated packets as root's programs and as a person's own; returns the observations."""
    person = lab.person()
    seeds = [begin(person, operation) for operation in (1, 2, 6)]
    seeds += [begin(None, operation) for operation in range(1, 12)]
    seeds += golden("begin-*.hex")
    answers = golden("answer*.hex") + golden("cancelled*.hex") + golden("resume.hex")
    mutator = Mutator(33, seeds + golden("bad/*.hex"))
    later = Mutator(34, answers)
    jobs = []
    for number in range(count):
        # Half of the conversations reach a prompt, because their first packet is valid.
        first = mutator.change(mutator.pick(seeds)) if number % 4 < 2 else begin(None if number % 2 else person)
        replies = [later.change(later.pick(answers)) or b"\x02" for _ in range(4)]
        # A person's own program asks only for that person's account, so this excludes root's operations.
        jobs.append((person.uid if number % 2 else 0, first or b"\x00", replies))
    numbers = itertools.count(1)

    def run(job):
        if next(numbers) % 40 == 0:
            lab.run("uafctl", "unlock", person.name, check=False)
        uid, first, replies = job
        return job, Conversation(uid).hold(first, replies)

    kinds = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for (uid, first, replies), (heard, status) in pool.map(run, jobs):
            what = f"{first.hex()} {[reply.hex() for reply in replies]} of peer {uid}"
            must(0 <= status < 128, f"the helper died with {status} of {what}")
            kinds["asked" if any(packet[0] == PROMPT for packet in heard) else "said" if heard else "hung up"] += 1
            last = heard[-1] if heard else b""
            is_yes = last[:5] == bytes([FINISHED, 1, 0, 1, 0]) and first[4:10] == begin(person)[4:10]
            must(not is_yes, f"a success for {what}: {last.hex()}")
    must(kinds["asked"] > count / 20, f"hardly anything came further than the first packet: {kinds}")
    return f"{count} conversations with the helper ({', '.join(f'{n} {what}' for what, n in sorted(kinds.items()))})"


def by_a_server(lab, count):
    """Has a server that otherwise refuses send mutated answers; returns the observations."""
    person = lab.person()
    between = forger.Forger(lab, forger.passing, shown=forger.STOLEN)
    lab.configure(port=between.port, server="timeout = 2", lock="retry_count_to_lock = 10\nlock_time = 300")
    refusal = forger.verdict(1498, description="no", additionalTokens=[{"type": "JWT", "value": "e30"}])
    mutator = Mutator(35, [refusal.encode()])
    turn = threading.Lock()

    def reply(request):
        said = forger.ask(request.path, request.body)[1] if request.path.endswith("/get") else refusal.encode()
        with turn:
            if request.path.endswith("/get") and mutator.pick((True, False, False)):
                return forger.answer(said)
            if b"uafRequest" in said and mutator.pick((True, False)):
                outer = json.loads(said)
                outer["uafRequest"] = mutator.change(outer["uafRequest"].encode()).decode("latin-1")
                return forger.answer(json.dumps(outer, ensure_ascii=mutator.pick((True, False))))
            with_head = mutator.pick((True, False))
            return mutator.change(forger.answer(said)) if with_head else forger.answer(mutator.change(said))

    between.reply = reply
    codes = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for login in pool.map(lambda _: lab.login(person, person.passcode), range(count)):
            must(not login.is_in, f"a mutated no let in: {login}")
            must(login.code not in (None, hosts.SYSTEM_ERR), f"something died of a server's answer: {login}")
            codes[login.code] += 1
    return f"{count} logins with a server's mutated answers (PAM codes {dict(sorted(codes.items()))})"


def at_the_module(lab, count):
    """A core that sends mutated packets to the module; returns the observations."""
    folder = pathlib.Path("/run/pam-uaf")
    folder.mkdir(exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(folder / "helper.sock"))
    listener.listen(64)
    lab.after(lambda: (listener.shutdown(socket.SHUT_RDWR), listener.close(), os.unlink(folder / "helper.sock")))
    kinds = ("prompt", "info", "error", "ready", "setenv", "finished")
    packets = [packet for kind in kinds for packet in golden(f"{kind}*.hex")]
    yes = {packet for packet in golden("finished-*.hex") if packet[:5] == bytes([FINISHED, 1, 0, 1, 0])}
    refusals = [packet for packet in golden("finished-*.hex") if packet not in yes]
    mutator = Mutator(36, packets)

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
                connection.settimeout(5)
                connection.recv(65537)
                for _ in range(3):
                    packet = mutator.change(mutator.pick(packets)) or b"\x00"
                    sent.append(packet)
                    connection.send(packet[:65536])
                    if packet[0] == PROMPT:
                        connection.recv(65537)
                connection.send(mutator.change(mutator.pick(refusals)) or b"\x00")
                connection.close()
            except OSError:
                if listener.fileno() < 0:
                    return

    sent, codes = [], collections.Counter()
    threading.Thread(target=serve, daemon=True).start()
    for _ in range(count):
        sent.clear()
        process = hosts.start("uaf", "root")
        login = hosts.finish(process, "x\nx\nx\nx")
        what = [packet.hex() for packet in sent]
        must(process.returncode >= 0, f"the host died with {process.returncode} of {what}")
        must(not login.is_in or any(is_yes(packet) for packet in sent), f"let in by {what}")
        codes[login.code] += 1
    return f"{count} logins with a core that sends mutated packets (PAM codes {dict(sorted(codes.items()))})"


def is_yes(packet):
    """A *finished* with code and result 0: only a core that is root may send it."""
    return packet.startswith(bytes([FINISHED, 1, 0, 1, 0, 2, 0, 4, 0, 0, 0, 0]))


def of_the_tree(lab):
    """Runs the repository's own fuzzer if it has been built; returns the observations."""
    fuzzer = machine.ROOT / "build/fuzz/fuzz"
    if not fuzzer.exists():
        return "build/fuzz is not built: run 'make fuzz'"
    seeds = machine.ROOT / "Tests/Fuzz/seeds"
    runs = 20_000 if lab.thorough else 500

    def one(target):
        found = pathlib.Path("/tmp/fuzz", target)
        found.mkdir(parents=True)
        state = found.with_name(f"{target}-state")
        state.mkdir()
        return target, lab.run(
            fuzzer,
            f"-runs={runs}",
            "-seed=1",
            "-max_len=8192",
            "-timeout=5",
            "-rss_limit_mb=1024",
            f"-artifact_prefix=/tmp/fuzz/{target}-",
            found,
            seeds / target,
            check=False,
            env={**os.environ, "FUZZ_TARGET": target, "FUZZ_FOLDER": str(state)},
        )

    lab.after(lambda: lab.run("rm", "-rf", "/tmp/fuzz"))
    cases = (machine.ROOT / "Tests/Fuzz/FuzzTarget.swift").read_text()
    targets = sorted(re.findall(r"^  case ([a-zA-Z0-9]+)$", cases, re.M))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for target, result in pool.map(one, targets):
            must(result.returncode == 0, f"the fuzzer of {target}: {result.stdout[-400:]}")
    return f"{len(targets)} fuzzers x {runs} inputs with ASan"


@row(
    "A33",
    "fuzzing: packets at the helper as root and as a person, a server's answers, a core's packets, messages",
    "no crash, no hang; a success only if the core's own last packet says so",
    causes=("a local user", "the network", "the server"),
)
def fuzzing(lab):
    mark = lab.log.mark()
    factor = 20 if lab.thorough else 1
    seen = [at_the_helper(lab, 300 * factor), by_a_server(lab, 120 * factor)]
    early = [line for line in lab.log.since(mark) if "without a verdict" in line or "uaf-fetch:" in line]
    must(not early, f"a program of ours ended early: {early[:2]}")
    seen += [at_the_module(lab, 400 * factor), of_the_tree(lab)]
    return "; ".join(seen)
