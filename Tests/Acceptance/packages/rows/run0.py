"""run0 of systemd, by which people become root without a setuid program: polkit asks for it, by the service polkit-1."""

from lab.table import Skip, must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE, PASSWORD

# On a terminal, run0 starts its own agent. So it runs without one: the shell waits until pkttyagent is registered as its agent,
# and then becomes run0. polkit identifies it by the process, which stays the same.
_ASK = f"""
mkfifo /tmp/agent-$$
{{ cat /tmp/agent-$$ >/dev/null; rm /tmp/agent-$$; exec setsid run0 --pipe sh -c "{scene.SAY}" </dev/null; }} &
asker=$!
pkttyagent --process $asker --notify-fd 3 3>/tmp/agent-$$ &
agent=$!
wait $asker
kill $agent
"""


def _run0(machine, *answers):
    """mina does something as root, and answers as herself: the agent first asks which administrator does."""
    return machine.terminal("runuser", "-u", "mina", "--", "sh", "-c", _ASK, answers=["1", *answers])


def _findings(machine):
    return machine.run("uafctl", "doctor", check=False).stdout


@row(
    "P22",
    "run0, through polkit's own daemon, helper and agent, before and after `uafctl pam enable polkit-1`",
    "before, uafctl names polkit-1 as asking without the passcode; then the passcode lets in, the password does not; "
    "after disable it does",
)
def run0(lab):
    with lab.installed(booted=True) as machine:
        if machine.run("sh", "-c", "command -v run0", check=False).returncode:
            raise Skip("there is no run0: systemd has it from 256 on")
        scene.with_server(machine)
        scene.rescuer(machine, "otto")
        opened = machine.run("uafctl", "pam", "enable", "sudo").stdout
        must("\npolkit-1: does not ask for the passcode: people whom" in opened, f"polkit-1 is not named as open: {opened}")
        must("pam-polkit" in _findings(machine), "doctor does not warn of polkit-1 before")
        must(LET_IN in _run0(machine, PASSWORD).text, "the password does not let in before")
        machine.run("uafctl", "pam", "enable", "polkit-1")
        must("pam-polkit" not in _findings(machine), "doctor warns of polkit-1 though it asks for the passcode")
        right, wrong = _run0(machine, PASSCODE), _run0(machine, PASSWORD)
        must(LET_IN in right.text and "Passcode for mina (polkit-1):" in right.text, f"passcode: {right.text!r}")
        must(LET_IN not in wrong.text and "Passcode for mina (polkit-1):" in wrong.text, f"password: {wrong.text!r}")
        machine.run("uafctl", "pam", "disable", "polkit-1")
        must(LET_IN in _run0(machine, PASSWORD).text, "the password does not let in afterwards")
        return "in by the passcode alone while polkit-1 asks for it; by the password before and afterwards, which was told"
