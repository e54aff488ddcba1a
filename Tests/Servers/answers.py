"""What the servers of a test answer, by path: good answers, and others that are each wrong in one thing."""

import http.server
import json
import socket
import struct
import time

LIMIT = 262144


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, status=200, kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path == "/echo":
            self.answer(body)
        elif self.path == "/headers":
            self.answer(json.dumps([self.command, *sorted(f"{k}: {v}" for k, v in self.headers.items())]).encode())
        elif self.path in ("/hang", "/garbage", "/ok", "/empty", "/redirect", "/cut", "/drip", "/one-more"):
            self.do_GET()
        else:
            self.answer(b"no such path", 404, "text/plain")

    def do_GET(self):
        handler = getattr(self, "get_" + self.path.strip("/").replace("-", "_"), None)
        if handler:
            handler()
        elif self.path == "/headers":
            self.do_POST()
        else:
            self.answer(b"no such path", 404, "text/plain")

    def get_ok(self):
        self.answer(b'{"ok":true}')

    def dated(self, *dates):
        self.send_response_only(200)
        for date in dates:
            self.send_header("Date", date)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def get_dated(self):
        self.dated("Fri, 15 Jan 2027 08:00:00 GMT")

    def get_undated(self):
        self.dated()

    def get_dated_twice(self):
        self.dated("Fri, 15 Jan 2027 08:00:00 GMT", "Fri, 15 Jan 2027 08:00:00 GMT")

    def get_dated_long_ago(self):
        self.dated("Fri, 15 Jan 1960 08:00:00 GMT")

    def get_dated_otherwise(self):
        self.dated("when it suits")

    def get_empty(self):
        self.answer(b"", 204)

    def get_connection(self):
        self.answer(str(self.client_address[1]).encode())

    def get_cookies(self):
        headers = [("Set-Cookie", "session=b2; Path=/; Secure; HttpOnly"), ("Set-Cookie", "old=; Max-Age=0")]
        self.answer(json.dumps(self.headers.get("Cookie")).encode(), headers=headers)

    def get_session(self):
        self.answer(b"", headers=[("X-KANIDM-AUTH-SESSION-ID", "eyJ.a-b_c.d")])

    def get_session_twice(self):
        self.answer(b"", headers=[("X-KANIDM-AUTH-SESSION-ID", "a"), ("X-KANIDM-AUTH-SESSION-ID", "b")])

    def get_session_with_space(self):
        self.answer(b"", headers=[("X-KANIDM-AUTH-SESSION-ID", "a b")])

    def get_session_longest(self):
        self.answer(b"", headers=[("X-KANIDM-AUTH-SESSION-ID", "k" * 992)])

    def get_session_too_long(self):
        self.answer(b"", headers=[("X-KANIDM-AUTH-SESSION-ID", "k" * 993)])

    def get_redirect(self):
        self.answer(b"elsewhere", 302, "text/plain", [("Location", "/ok")])

    def vouch(self, *words, name="FIDO-AppID-Redirect-Authorized", status=301, location="https://other.example:8443/f?x"):
        headers = [("Location", location)] if location else []
        self.answer(b"", status, "text/plain", headers + [(name, word) for word in words])

    def get_vouched(self):
        self.vouch("true")

    def get_vouched_lower(self):
        self.vouch("true", name="fido-appid-redirect-authorized")

    def get_unvouched(self):
        self.vouch()

    def get_vouched_twice(self):
        self.vouch("true", "true")

    def get_vouched_upper(self):
        self.vouch("TRUE")

    def get_vouched_more(self):
        self.vouch("true, false")

    def get_nowhere_to(self):
        self.vouch("true", location=None)

    def get_too_far(self):
        self.vouch("true", location="https://other.example/" + 4096 * "x")

    def get_created(self):
        self.vouch("true", status=201)

    def get_largest(self):
        self.answer(bytes(index % 251 for index in range(LIMIT)))

    def get_one_more(self):
        self.answer(bytes(LIMIT + 1))

    def get_announced(self):
        self.answer(bytes(300 * 1024))

    def unannounced(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()

    def get_unannounced(self):
        self.unannounced()
        self.wfile.write(bytes(300 * 1024))

    def get_endless(self):
        self.unannounced()
        while True:
            self.wfile.write(bytes(4096))

    def get_drip(self):
        self.unannounced()
        while True:
            self.wfile.write(b"x")
            time.sleep(0.05)

    def get_cut(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x" * 10)

    def get_hang(self):
        self.close_connection = True
        # Until the client goes away.
        self.connection.recv(1)

    def get_reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def get_garbage(self):
        self.close_connection = True
        self.wfile.write(b"\x00\x01this is not HTTP\r\n\r\n")

    def get_many_headers(self):
        self.answer(b"", headers=[(f"X-{index}", "v") for index in range(300)])

    def get_long_headers(self):
        self.answer(b"", headers=[(f"X-{index}", "v" * 8000) for index in range(10)])

    def get_strange_type(self):
        self.answer(b"", kind="text/\x1b[2J\xe9" + "x" * 400)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass
