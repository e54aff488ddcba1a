"""Enrolment codes in what `uaf-server enrol` prints."""

import base64
import json
import re

# What it prints where there is no terminal: a JSON object as base64url.
PAYLOAD = re.compile(r"^eyJ[\w-]+$", re.MULTILINE)


def code_in(shown):
    """The code as its person types it."""
    found = PAYLOAD.search(shown)
    if found is None:
        raise ValueError(f"no code in: {shown}")
    padded = found.group() + "=" * (-len(found.group()) % 4)
    return json.loads(base64.urlsafe_b64decode(padded))["authCode"]
