"""A row's own server in addition to the lab's, for rows that change a whole server."""

from attack.rows.enrolling import SIGNED
from attack.signing import SERVER
from lab import forger


class OwnServer:
    """A server that runs until the row has ended."""

    def __init__(self, lab, folder, port, *options):
        self._lab, self.folder, self.port = lab, folder, port
        trusted = forger.TRUSTED.read_bytes()
        lab.after(lambda: forger.TRUSTED.write_bytes(trusted))
        self._options = options
        self._start()

    def _start(self):
        process = self._lab.start_server(self.folder, self.port, self._options)
        self._process = process
        self._lab.after(lambda: self._lab.stop(process))

    def restart(self):
        """Restarts the server with the current environment."""
        self._lab.stop(self._process)
        self._start()

    def configure(self, **settings):
        """Points the machine's programs to this server and demands a signed confirmation."""
        self._lab.configure(port=self.port, server=SIGNED.replace(SERVER, self.folder), **settings)

    def person(self):
        """A new person with a passcode at this server; the passcode must be the only configured authenticator."""
        person = self._lab.person(registered=False)
        self._lab.run(
            "uafctl",
            "register",
            person.name,
            "--payload",
            self._lab.payload(person, self.folder),
            answers=f"{person.passcode}\n{person.passcode}\n",
        )
        return person
