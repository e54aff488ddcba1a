"""Debian's rsyslog as the receiver of the audit, with TLS by GnuTLS."""

import pathlib
import shutil

from fleet.programs import Program, folder, write
from fleet.receivers import NUMBER, unused_port
from lab.table import Skip
from lab.waiting import until

PROGRAM = "/usr/sbin/rsyslogd"
HOME = pathlib.Path("/srv/rsyslog")


class Rsyslog:
    """Writes each message as a line of a file; ends with the row.

    It requires a sender's certificate, issued by its own authority for the name `sender`.
    """

    def __init__(self, lab, home, sender):
        if shutil.which(PROGRAM) is None:
            raise Skip("Debian's rsyslog is not there")
        self.home, self.port, self._sender = home, unused_port(), sender
        self._file = folder(HOME) / "audit.log"
        self._program = None
        lab.after(self.down)

    def up(self, home=None):
        """Starts listening, with a different certificate if one is given."""
        home = home or self.home
        settings = write(
            HOME / "rsyslog.conf",
            f'global(workDirectory="{HOME}" maxMessageSize="64k" defaultNetstreamDriver="gtls"\n'
            f'  defaultNetstreamDriverCAFile="{self.home}/ca.pem"\n'
            f'  defaultNetstreamDriverCertFile="{home}/leaf.pem" defaultNetstreamDriverKeyFile="{home}/leaf.key")\n'
            'module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="x509/name"\n'
            f'  permittedPeer=["{self._sender}"])\n'
            'template(name="line" type="string" string="%pri% %app-name% %msgid% %structured-data%\\n")\n'
            f'action(type="omfile" file="{self._file}" template="line")\n'
            f'input(type="imtcp" address="127.0.0.1" port="{self.port}")\n',
        )
        self._program = Program("rsyslog", [PROGRAM, "-n", "-f", settings, "-i", HOME / "pid"], HOME)
        self._program.start()
        until(lambda: _is_open(self.port), "rsyslog to listen")

    def down(self):
        if self._program is not None:
            self._program.stop()

    @property
    def lines(self):
        """The messages that rsyslog has written."""
        return self._file.read_bytes().splitlines() if self._file.exists() else []

    @property
    def rows(self):
        """Number and hash of each row, in the order in which they came."""
        found = [NUMBER.search(line) for line in self.lines]
        return [(int(match[1]), match[2].decode()) for match in found if match]

    def told(self):
        return self._program.told() if self._program else ""


def _is_open(port):
    """Whether rsyslog listens; checks this without a connection, because rsyslog would log an error about it."""
    text = pathlib.Path("/proc/net/tcp").read_text()
    return any(line.split()[1] == f"0100007F:{port:04X}" and line.split()[3] == "0A" for line in text.splitlines()[1:])
