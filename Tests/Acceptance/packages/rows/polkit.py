"""polkit itself: its daemon, its setuid helper that speaks to PAM, and its agent on a terminal."""

import re

from lab.hosts import INTERRUPT
from lab.processes import gone
from lab.table import must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE, PASSWORD

# On a terminal, pkexec starts its own agent, whose answers polkit rejects in a session that logind does not know. So pkexec runs
# without a terminal, as the child of a process for which pkttyagent is registered as the agent.
_ASK = f"""
mkfifo /tmp/agent-$$
{{ cat /tmp/agent-$$ >/dev/null; rm /tmp/agent-$$; setsid pkexec sh -c "{scene.SAY}"; kill $$; }} &
exec pkttyagent --process $! --notify-fd 3 3>/tmp/agent-$$
"""


def _pkexec(machine, *answers):
    """mina does something as root, and answers as herself: the agent first asks which administrator does."""
    session = machine.terminal("runuser", "-u", "mina", "--", "sh", "-c", _ASK, answers=["1", *answers])
    must(re.search(r"1\. +mina\b", session.text), f"the agent does not name mina first: {session.text!r}")
    return session


def _without(machine, *values):
    """The result when the server is unreachable."""
    scene.without_server(machine)
    try:
        return _pkexec(machine, *values)
    finally:
        scene.with_server(machine)


@row(
    "P15",
    "pkexec, through polkit's own daemon, helper and agent, after `uafctl pam enable polkit-1`",
    "the passcode lets in; a wrong one, a locked account and Ctrl-C do not; "
    "without the server the right passcode and then the password do",
)
def pkexec(lab):
    with lab.installed(booted=True) as machine:
        scene.with_server(machine)
        scene.rescuer(machine, "otto")
        machine.run("uafctl", "pam", "enable", "polkit-1")
        entered = {"passcode": _pkexec(machine, PASSCODE), "no server, passcode, password": _without(machine, PASSCODE, PASSWORD)}
        refused = {"Ctrl-C": _pkexec(machine, INTERRUPT)}
        must(not (left := gone()), f"after Ctrl-C: {left}")
        # Three wrong values in a row lock the account; a right value in between had reset the count.
        refused |= {
            "password": _pkexec(machine, PASSWORD),
            "no server, wrong passcode, password": _without(machine, "wrong-guess-1", PASSWORD),
            "wrong passcode": _pkexec(machine, "wrong-guess-2"),
            "locked, passcode": _pkexec(machine, PASSCODE),
        }
        for what, session in (entered | refused).items():
            must((LET_IN in session.text) == (what in entered), f"{what}: {session.text!r}")
            must("Passcode for mina (polkit-1):" in session.text or "locked" in what, f"{what}: {session.text!r}")
        must("Locked" in refused["locked, passcode"].text, f"locked: {refused['locked, passcode'].text!r}")
        machine.run("uafctl", "pam", "disable", "polkit-1")
        must(LET_IN in _pkexec(machine, PASSWORD).text, "the password does not let in afterwards")
        return f"in: {'; '.join(entered)}; refused: {'; '.join(refused)}; disabled, the password again"
