"""KWallet after a login by passcode."""

import os
import pathlib
import signal
import subprocess

from desktop.desk import HOST, PASSWORD, SERVICE, UNLOCK
from lab.machine import ROOT
from lab.processes import running
from lab.table import Skip, must, row
from lab.waiting import until

STACK = (
    "auth [success=ok default=die] pam_uaf.so",
    "auth optional pam_kwallet5.so",
    "account required pam_permit.so",
    # Without force_run, the module starts its daemon only for a session of Plasma.
    "session optional pam_kwallet5.so auto_start force_run",
)
ASK = "dbus-send --session --print-reply --dest=org.kde.kwalletd5 /modules/kwalletd5 org.kde.KWallet.isOpen string:kdewallet"


def login(lab, person, remote="-"):
    """Logs in, and asks KWallet's daemon in the session whether the wallet is open; returns everything that was said."""
    variables = lab.desk.environment(person)
    script = "\n".join(
        (
            f"export DBUS_SESSION_BUS_ADDRESS={variables['DBUS_SESSION_BUS_ADDRESS']} QT_QPA_PLATFORM=offscreen",
            '[ -n "$PAM_KWALLET5_LOGIN" ] || { echo no daemon; exit 0; }',
            f"/usr/bin/python3 {ROOT}/Tests/Acceptance/desktop/hand-over.py",
            f"for _ in $(seq 60); do {ASK} 2>/dev/null && break; sleep 0.5; done",
        )
    )
    # The daemon keeps the host's output open, so it is a file.
    output = pathlib.Path(f"/tmp/wallet-{person.name}")
    with output.open("wb") as file:
        subprocess.run(
            [HOST, SERVICE, person.name, remote, script],
            input=f"{person.passcode}\n".encode(), stdout=file, stderr=file, env={}, timeout=120, check=False,
        )  # fmt: skip
    for process in running("kwalletd5"):
        os.kill(process, signal.SIGKILL)
    until(lambda: not running("kwalletd5"), "the end of KWallet's daemon")
    said = output.read_text(errors="replace")
    must("result session 0" in said, f"not in: {said}")
    return said


@row(
    "kwallet", "a login by passcode, with pam_kwallet5 behind the module", "the wallet is open, and only with the right password"
)
def kwallet(lab):
    desk = lab.desk
    if not os.path.exists("/usr/bin/kwalletd5") or not list(pathlib.Path("/usr/lib").glob("*/security/pam_kwallet5.so")):
        raise Skip("KWallet and its PAM module are not there, and could not be fetched")
    lab.configure(more=UNLOCK)
    lab.stack(SERVICE, *STACK)
    person = lab.person()
    desk.prepare(person)
    must("boolean true" not in login(lab, person), "a wallet is open although no password was kept")
    desk.keep(person)
    must("boolean true" in login(lab, person), "the first login with a password does not make and open the wallet")
    must("boolean true" in login(lab, person), "the next login does not open it")
    must("boolean true" not in login(lab, person, remote="203.0.113.7"), "a remote login opens it")
    desk.keep(person, "of another year")
    must("boolean true" not in login(lab, person), "another password opens it")
    desk.keep(person, PASSWORD)
    must("boolean true" in login(lab, person), "the right password does not open it again")
    return "locked without a password, in a remote login and with another password; open with the kept one"
