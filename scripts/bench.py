#!/usr/bin/env python3
"""Times the login path as a whole, from outside: `make bench`, as root, after `make build`.

Two configurations that differ in the cost of the key derivation alone take turns, so that what is not key derivation
can be told apart: helper start to first prompt, and a whole successful login, each as a median over the rounds.
"""
import hashlib, os, pathlib, socket, statistics, struct, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGE = ROOT / "build/stage" / (ROOT / "build/stage.prefix").read_text().strip().lstrip("/")
ROUNDS = int(os.environ.get("ROUNDS", "50"))
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"}
PASSCODE = b"bench passcode 1"


def field(tag, value):
    return struct.pack(">BH", tag, len(value)) + value


def begin(configuration):
    return (b"\x01" + field(1, b"\0\1") + field(2, b"\1") + field(3, struct.pack(">I", 0)) + field(4, b"root")
            + field(5, b"root") + field(6, b"login") + field(12, b"conf=" + str(configuration).encode()))


def login(configuration):
    """Seconds from start to the prompt, and from the answer to the end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    started = time.perf_counter()
    helper = subprocess.Popen([STAGE / "libexec/pam-uaf/uaf-helper"], env=ENVIRONMENT, close_fds=True,
                              pass_fds=(3,), preexec_fn=lambda: os.dup2(theirs.fileno(), 3))
    theirs.close()
    ours.send(begin(configuration))
    prompted = answered = None
    while True:
        packet = ours.recv(65536)
        if packet[:1] == b"\x81":
            prompted = time.perf_counter()
            time.sleep(0.05)  # The person types: the server's request is here by then.
            answered = time.perf_counter()
            ours.send(b"\x02" + field(1, PASSCODE))
        elif packet[:1] == b"\x86":
            finished = time.perf_counter()
            break
        elif not packet:
            sys.exit("bench: the helper ended without a word")
    ours.close()
    helper.wait()
    if packet[4] != 0:
        sys.exit(f"bench: the login was refused: {packet!r}")
    return prompted - started, finished - answered


def derivation(cost):
    started = time.perf_counter()
    hashlib.scrypt(PASSCODE, salt=b"0" * 16, n=1 << cost, r=8, p=2, maxmem=1 << 30, dklen=32)
    return time.perf_counter() - started


def register(folder, cost, port, server_state):
    configuration = folder / f"conf-{cost}"
    configuration.write_text(
        f'authenticators = ["passcode"]\n[server]\nrequest_url = "https://127.0.0.1:{port}/uaf/get"\n'
        f'response_url = "https://127.0.0.1:{port}/uaf/respond"\nca_file = "{server_state}/ca.pem"\n'
        # To the server each state is an account: a second one of this machine under one name would replace the first.
        f'username = "{{user}}-{cost}"\n'
        f'[state]\ndirectory = "{folder}/state-{cost}"\nkdf_cost = {cost}\n')
    tool = [STAGE / "bin/uafctl", "--conf", configuration]
    payload = folder / f"payload-{cost}"
    payload.touch(0o600)
    payload.write_bytes(subprocess.run([STAGE / "bin/uaf-server", "enrol", f"root-{cost}", "--state", server_state],
                                       check=True, capture_output=True).stdout)
    subprocess.run(tool + ["init"], check=True, capture_output=True)
    subprocess.run(tool + ["register", "root", "--payload", payload], check=True, capture_output=True,
                   input=PASSCODE + b"\n" + PASSCODE + b"\n")
    return configuration


def main():
    if os.geteuid() != 0:
        sys.exit("bench: run as root (the helper serves root alone)")
    os.umask(0o077)
    # Descriptor 3 is the helper's; nothing of ours may lie there when it is handed over.
    if not pathlib.Path("/proc/self/fd/3").exists():
        os.dup2(os.open("/dev/null", os.O_RDONLY), 3)
    with tempfile.TemporaryDirectory(prefix="pam-uaf-bench.") as name:
        folder = pathlib.Path(name)
        state = folder / "server"
        server = subprocess.Popen([STAGE / "bin/uaf-server", "serve", "--state", state, "--listen", "127.0.0.1:0",
                                   "--development"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = server.stdout.readline().strip().rsplit(":", 1)[1]
            costs = (10, 16)
            configurations = {cost: register(folder, cost, port, state) for cost in costs}
            samples = {cost: [] for cost in costs}
            for _ in range(ROUNDS):
                for cost in costs:
                    start, end = login(configurations[cost])
                    samples[cost].append((start, end, derivation(cost)))
        finally:
            server.terminate()
            server.wait()
    print(f"medians of {ROUNDS} rounds in turn, milliseconds")
    print(f"{'kdf_cost':>8} {'start to prompt':>16} {'answer to end':>14} {'scrypt alone':>13} {'rest':>7}")
    rests = []
    for cost in costs:
        medians = [1000 * statistics.median(column) for column in zip(*samples[cost])]
        rests.append(1000 * statistics.median(end - kdf for _, end, kdf in samples[cost]))
        print(f"{cost:>8} {medians[0]:>16.1f} {medians[1]:>14.1f} {medians[2]:>13.1f} {rests[-1]:>7.1f}")
    ratio = statistics.median(b[1] / a[1] for a, b in zip(samples[costs[0]], samples[costs[1]]))
    print(f"a login at kdf_cost {costs[1]} takes {ratio:.1f} times one at {costs[0]}")


main()
