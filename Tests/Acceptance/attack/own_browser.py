"""A browser at the console of a row's own server, and the product's client, which confirms the browser's requests."""

import pathlib

from console.visitor import Visitor

from lab import hosts

SESSION = "__Host-uaf-session"
LINE = pathlib.Path("/tmp/line-to-confirm")


class OwnBrowser:
    """Requests a sign-in as soon as it is made; `line` is the page's line for `uafctl oob`."""

    def __init__(self, folder, port, name):
        self._visitor = Visitor("127.0.0.1", "127.0.0.1", port, pathlib.Path(folder, "ca.pem"))
        self._visitor.post("/console/sign-in", name=name)
        self.line = self._visitor.line("/console/sign-in")

    def is_signed_in(self):
        """Presses the page's button; returns whether there is a session then."""
        self._visitor.post("/console/sign-in/continue")
        return SESSION in self._visitor.cookies

    def begin(self, path, **fields):
        """Sends the form of a dangerous step; returns the line to confirm it with."""
        self._visitor.post(path, **fields)
        return self._visitor.line("/console/confirm")

    def go_on(self):
        """Presses the button of the pending step."""
        self._visitor.post("/console/confirm")


def confirm(line, person):
    """Has a person confirm the request of a line; returns what their terminal showed."""
    LINE.unlink(missing_ok=True)
    LINE.touch(0o600)
    LINE.write_text(line + "\n")
    return hosts.terminal(["uafctl", "oob", str(LINE), person.name], [person.passcode])
