"""The socket under systemd while somebody connects to it and hangs up, as fast as they can."""

import time

from lab.table import must, row
from lab.waiting import at_once

SECONDS, MOST_LINES = 5, 60
# Fewer connections than a uid may have at a time (ConnectionLimits): otherwise, on a fast machine, mina would be refused because
# of her own calls.
MOST_CALLS = 40
# What a bare Debian has: perl-base.
FLOOD = r"""
use Socket;
my ($end, $count) = (time + SECONDS, 0);
my $address = pack_sockaddr_un("/run/pam-uaf/helper.sock");
while (time < $end) {
  socket(my $connection, AF_UNIX, SOCK_SEQPACKET, 0) or die;
  connect($connection, $address) and $count++;
}
print "$count\n";
""".replace("SECONDS", str(SECONDS))


def processor_seconds(machine):
    """The CPU seconds that systemd itself has used."""
    fields = machine.says("cat", "/proc/1/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def flood(machine):
    return int(machine.run("runuser", "-u", "otto", "--", "perl", "-e", FLOOD).stdout)


def is_served(machine):
    """Whether mina's own uafctl has an answer."""
    said = machine.run("runuser", "-u", "mina", "--", "uafctl", "status", "--json", check=False).stdout
    return '"authenticators"' in said


def status_of_mina(machine):
    """Runs mina's own uafctl repeatedly during the flood; returns whether each call was served."""
    ends, deadline = [], time.monotonic() + SECONDS
    while time.monotonic() < deadline and len(ends) < MOST_CALLS:
        ends.append(is_served(machine))
    return ends


@row(
    "P17",
    "otto connects to the socket and hangs up, as fast as he can",
    "mina's own uafctl is served; the journal stays short, and systemd does no work for the connections",
)
def flooded(lab):
    with lab.installed(booted=True) as machine:
        must(is_served(machine), "mina is not served without a flood")
        before, lines = processor_seconds(machine), len(machine.says("journalctl", "--quiet").splitlines())
        one, two, ends = at_once(lambda: flood(machine), lambda: flood(machine), lambda: status_of_mina(machine))
        used = processor_seconds(machine) - before
        written = [
            line
            for line in machine.says("journalctl", "--quiet").splitlines()[lines:]
            if "runuser" not in line and "event=status" not in line
        ]
        seen = (
            f"{one + two} connections in {SECONDS} s: {len(written)} lines of the journal, systemd used {used:.1f} s of "
            f"processor, mina's uafctl was served {sum(ends)} of {len(ends)} times"
        )
        must(ends and all(ends), seen)
        must(len(written) <= MOST_LINES, f"{seen}: {written[:5]}")
        return seen
