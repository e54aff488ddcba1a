"""Other modules that ask a person for something, each set up in a folder so that a login through it succeeds."""

import base64
import ctypes
import hashlib
import hmac
import http.server
import pathlib
import re
import struct
import subprocess
import threading
import time
import urllib.parse

PACKAGES = (
    "libpam-google-authenticator",
    "libpam-yubico",
    "libqrencode4",
    "libykclient3",
    "libykpers-1-1",
    "libyubikey0",
    "libusb-1.0-0",
)
PASSWORD = "bench password 1"
TOKEN = "cccccccccccb"
# 20 bytes in base32, as google-authenticator(1) writes them.
SECRET = b"12345678901234567890"
SECRET_LINES = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n" TOTP_AUTH\n'


def unpack(folder: pathlib.Path):
    """Fetches Debian's packages of the other modules and unpacks them: nothing is installed on the machine."""
    root = folder / "root"
    if not root.exists():
        archives = folder / "packages"
        archives.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "-qq", "download", *PACKAGES], cwd=archives, check=True, stderr=subprocess.DEVNULL)
        for archive in sorted(archives.glob("*.deb")):
            subprocess.run(["dpkg", "-x", archive, root], check=True)
    return root


def module(root: pathlib.Path, name):
    """The path of a module that was unpacked; Debian's packages differ in the folder."""
    return next(root.rglob(f"pam_{name}.so"))


def libraries(root: pathlib.Path):
    """The folder of the libraries that those modules need."""
    return next(root.rglob("libykclient.so.3")).parent


def shadow(password):
    """A password as passwd(1) of Debian 12 stores it: yescrypt at its default cost."""
    crypt = ctypes.CDLL("libcrypt.so.1")
    crypt.crypt_gensalt.restype = crypt.crypt.restype = ctypes.c_char_p
    setting = crypt.crypt_gensalt(b"$y$", ctypes.c_ulong(0), None, 0)
    return crypt.crypt(password.encode(), setting).decode()


def one_time_code():
    """The code of RFC 6238 for now."""
    mark = hmac.digest(SECRET, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1)
    place = mark[-1] & 15
    return f"{(struct.unpack('>I', mark[place : place + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Validation(http.server.BaseHTTPRequestHandler):
    """Yubico's validation protocol 2.0: every one-time password is good, and each answer is signed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        lines = {
            "t": time.strftime("%Y-%m-%dT%H:%M:%SZ0000", time.gmtime()),
            "otp": asked["otp"][0],
            "nonce": asked["nonce"][0],
            "sl": "100",
            "status": "OK",
        }
        signed = "&".join(f"{name}={lines[name]}" for name in sorted(lines)).encode()
        lines["h"] = base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha1)).decode()
        content = "".join(f"{name}={value}\r\n" for name, value in lines.items()).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Prints nothing: only the figures are printed."""


def validation():
    """A validation server on a free port of loopback."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Validation)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def passwords(folder: pathlib.Path):
    """Copies of passwd and shadow in which root has PASSWORD; the caller lays them over the machine's."""
    folder.mkdir(exist_ok=True)
    passwd = folder / "passwd"
    passwd.write_text(re.sub(r"(?m)^root:[^:]*:", "root:x:", pathlib.Path("/etc/passwd").read_text()))
    passwd.chmod(0o644)
    secrets = folder / "shadow"
    secrets.touch(0o600)
    secrets.write_text(f"root:{shadow(PASSWORD)}:19000:0:99999:7:::\n")
    return passwd, secrets


def stacks(folder: pathlib.Path, root: pathlib.Path):
    """For each module: name, path, arguments, and a function that returns what the person would enter."""
    secret, token = folder / "one-time", folder / "tokens"
    secret.touch(0o600)
    secret.write_text(SECRET_LINES)
    token.write_text(f"root:{TOKEN}\n")
    url = f"http://127.0.0.1:{validation()}/wsapi/2.0/verify"
    key = base64.b64encode(SECRET).decode()
    # ModHex; the content of a real one does not matter to the client.
    password = TOKEN + "cbdefghijklnrtuvcbdefghijklnrtuv"
    return [
        ("pam_permit", "pam_permit.so", "", lambda: ""),
        ("pam_unix, yescrypt", "pam_unix.so", "", lambda: PASSWORD),
        ("pam_exec, /bin/true", "pam_exec.so", "expose_authtok quiet /bin/true", lambda: PASSWORD),
        ("pam_google_authenticator", module(root, "google_authenticator"), f"secret={secret} user=root", one_time_code),
        ("pam_yubico", module(root, "yubico"), f"id=1 key={key} authfile={token} urllist={url}", lambda: password),
    ]
