"""The release of Debian on this machine."""

import platform

# The release whose hosts the shared transcripts show.
REFERENCE = "bookworm"


def name():
    """The release's code name, such as `trixie`; empty if /etc/os-release has none."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "")
