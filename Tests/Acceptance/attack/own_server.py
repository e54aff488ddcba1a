"""A server of a row's own beside the lab's, for what a row does to a whole server."""

from attack.rows.enrolling import SIGNED
from attack.signing import SERVER
from lab import forger


class OwnServer:
    """Runs until the row has ended."""

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
        """Ends it and starts it again, with the environment as it is now."""
        self._lab.stop(self._process)
        self._start()

    def configure(self, **settings):
        """Has the machine's programs ask it, and demand a signed yes."""
        self._lab.configure(port=self.port, server=SIGNED.replace(SERVER, self.folder), **settings)

    def person(self):
        """Somebody new with a passcode there, which has to be the only authenticator of the configuration."""
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
