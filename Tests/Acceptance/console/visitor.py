"""A visitor of the console that is not a browser: keeps cookies, and sends headers and bodies as it likes."""

import dataclasses
import html
import http.client
import itertools
import re
import socket
import ssl
import urllib.parse

from lab.table import must

OWN_SCRIPT = '<script src="/console/comfort-2.js" defer></script>'


@dataclasses.dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    text: str


class Visitor:
    """Each visitor has a separate address: sign-ins are limited by address."""

    _numbers = itertools.count(2)

    def __init__(self, name, address, port, authority):
        self._name, self._place = name, (address, port)
        self._context = ssl.create_default_context(cafile=str(authority))
        network = address.rpartition(".")[0]
        self._source = f"{network}.{next(self._numbers)}"
        self.cookies: dict[str, str] = {}

    @property
    def origin(self):
        return f"https://{self._name}:{self._place[1]}"

    def is_answered(self):
        try:
            return self.get("/console/sign-in").status == 200
        except OSError:
            return False

    def ask(self, method, target, body=None, headers=None):
        connection = http.client.HTTPSConnection(self._name, self._place[1], timeout=20)
        plain = socket.create_connection(self._place, 5, (self._source, 0))
        connection.sock = self._context.wrap_socket(plain, server_hostname=self._name)
        # The longest time that the server allows for one request.
        connection.sock.settimeout(60)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, target, body, {"Cookie": cookie, **(headers or {})})
        answer = connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = line.split(";")[0].partition("=")
            must(name.startswith("__Host-") and "; Secure; HttpOnly; SameSite=Strict" in line, f"a loose cookie: {line}")
            self.cookies[name] = value
            if "Max-Age=0" in line:
                del self.cookies[name]
        # The one tag of the console's own script is left out, so that rows can look for any other script.
        text = answer.read().decode().replace(OWN_SCRIPT, "", 1)
        connection.close()
        return Answer(answer.status, answer.headers, text)

    def get(self, target, **headers):
        return self.ask("GET", target, headers=headers)

    def send(self, path, body, **headers):
        """Sends a body as a form."""
        form = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin}
        return self.ask("POST", path, body, {**form, **headers})

    def post(self, path, **fields):
        """Sends a form as the console's page would."""
        if "__Host-uaf-session" in self.cookies:
            fields.setdefault("csrf", self.csrf())
        return self.send(path, urllib.parse.urlencode(fields))

    def upload(self, path, file, **fields):
        """Sends a form with a file, as a browser would."""
        fields.setdefault("csrf", self.csrf())
        begin = '--lab\r\nContent-Disposition: form-data; name="'
        body = f'{begin}list"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n{file}\r\n'
        body += "".join(f'{begin}{name}"\r\n\r\n{value}\r\n' for name, value in fields.items())
        form = {"Content-Type": "multipart/form-data; boundary=lab", "Origin": self.origin}
        return self.ask("POST", path, (body + "--lab--\r\n").encode(), form)

    def csrf(self):
        found = re.search(r'name="csrf" value="([^"]+)"', self.get("/console/about").text)
        must(found, "a page without a token")
        assert found
        return found.group(1)

    def line(self, path):
        """The line that a page shows for `uafctl oob`."""
        found = re.search(r"<pre[^>]*>([^<]+)</pre>", self.get(path).text)
        must(found, f"{path} shows no line")
        assert found
        return html.unescape(found.group(1))
