"""A client of WebAuthn by PyPI's `soft-webauthn`, which never verifies who its user is.

Reads and prints what by_python_fido2.py reads and prints. It has one key, and compares no origin.
"""

import base64
import json
import sys

from soft_webauthn import SoftWebauthnDevice


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def url(value):
    """Bytes as base64url without padding, wherever they are."""
    if isinstance(value, dict):
        return {name: url(item) for name, item in value.items()}
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode() if isinstance(value, bytes) else value


def main():
    device = SoftWebauthnDevice()
    for line in sys.stdin:
        asked = json.loads(line)
        options = asked["options"]
        options["challenge"] = decoded(options["challenge"])
        try:
            if asked["do"] == "create":
                options["user"]["id"] = decoded(options["user"]["id"])
                options["pubKeyCredParams"] = [{"alg": each["alg"], "type": each["type"]} for each in options["pubKeyCredParams"]]
            response = getattr(device, asked["do"])({"publicKey": options}, asked["origin"])
            made = url(response) | {"id": url(response["rawId"]), "clientExtensionResults": {}}
            print(json.dumps(made), flush=True)
        except ValueError as error:
            print(json.dumps({"error": str(error)}), flush=True)


main()
