"""A browser at the console of a row's own server, and the product's client that confirms what it asks for."""

import pathlib

from console.visitor import Visitor

from lab import hosts

SESSION = "__Host-uaf-session"
LINE = pathlib.Path("/tmp/line-to-confirm")


class OwnBrowser:
    """Asks for a sign-in at once; `line` is what the page gives to `uafctl oob`."""

    def __init__(self, folder, port, name):
        self._visitor = Visitor("127.0.0.1", "127.0.0.1", port, pathlib.Path(folder, "ca.pem"))
        self._visitor.post("/console/sign-in", name=name)
        self.line = self._visitor.line("/console/sign-in")

    def is_signed_in(self):
        """Presses the page's button; whether there is a session then."""
        self._visitor.post("/console/sign-in/continue")
        return SESSION in self._visitor.cookies

    def begin(self, path, **fields):
        """Sends the form of a dangerous step; returns the line that it waits for."""
        self._visitor.post(path, **fields)
        return self._visitor.line("/console/confirm")

    def go_on(self):
        """Presses the button of the step that waits."""
        self._visitor.post("/console/confirm")


def confirm(line, person):
    """Somebody confirms what a line leads to; returns what their terminal showed."""
    LINE.unlink(missing_ok=True)
    LINE.touch(0o600)
    LINE.write_text(line + "\n")
    return hosts.terminal(["uafctl", "oob", str(LINE), person.name], [person.passcode])
