"""One client's HTTPS: its cookies, and a record of what was sent and answered."""

import dataclasses
import http.client
import json
import ssl
import urllib.parse

SECONDS = 30


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def json(self):
        """The body as JSON; an empty object if it is something else."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    def __str__(self):
        return f"{self.status} {self.body[:300].decode(errors='replace')}"


class Channel:
    """Sends requests to one server, under a name in its certificate."""

    def __init__(self, name, port, authority, record=None):
        self.name, self.port, self._record = name, port, record
        self._trust = ssl.create_default_context(cafile=str(authority))
        self.cookies: dict[str, str] = {}
        # Sent with every request.
        self.headers: dict[str, str] = {}

    def post(self, path, members=None, form=None, **headers):
        """Posts JSON, or a form; a header's name is written with _ for -."""
        if form is not None:
            content, kind = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        else:
            content, kind = json.dumps(members if members is not None else {}), "application/json"
        return self.send("POST", path, content, {"Content-Type": kind, **_named(headers)})

    def get(self, path, **headers):
        return self.send("GET", path, None, _named(headers))

    def send(self, method, path, content, headers):
        # Each request uses a new connection: a kept connection that the server has closed would look like a refusal.
        headers = {"Accept": "application/json", **self.headers, **headers, "Connection": "close"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = http.client.HTTPSConnection(self.name, self.port, timeout=SECONDS, context=self._trust)
        try:
            connection.request(method, path, content, headers)
            answer = _answer(connection)
        finally:
            connection.close()
        for name, value in answer.headers:
            if name.lower() == "set-cookie":
                self._keep(value)
        if self._record:
            self._write(method, path, content, headers, answer)
        return answer

    def _keep(self, text):
        pair, *attributes = text.split(";")
        name, _, value = pair.strip().partition("=")
        gone = any(each.strip().lower() == "max-age=0" for each in attributes)
        if gone or not value.strip('"'):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value

    def _write(self, method, path, content, headers, answer):
        lines = [f"> {method} {path}", *(f"> {name}: {value}" for name, value in headers.items()), f"> {content or ''}"]
        lines += [f"< {answer.status}", *(f"< {name}: {value}" for name, value in answer.headers)]
        with self._record.open("a") as file:
            file.write("\n".join([*lines, f"< {answer.body[:8000].decode(errors='replace')}", "", ""]))


def _answer(connection):
    """The answer; status 0 if the server has ended the connection instead."""
    try:
        response = connection.getresponse()
        return Answer(response.status, tuple(response.getheaders()), response.read())
    except http.client.RemoteDisconnected:
        return Answer(0, (), b"")


def _named(headers):
    return {name.replace("_", "-"): value for name, value in headers.items()}
