"""A Django project for granian, which notes each login with a key."""

import pathlib

from django.conf import settings
from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from django.contrib.auth.signals import user_logged_in  # noqa: E402 (only after the settings have been read)


def note(sender, request, user, **_):
    if "webauthn" not in request.path:
        return
    with pathlib.Path(settings.FOLDER, "accepted").open("a") as file:
        file.write(f"login {user.get_username()}\n")


user_logged_in.connect(note)
