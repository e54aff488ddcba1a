"""Makes an account of a Django project with a password, signs it in, and prints the key of its session.

Arguments: the account and the password.
"""

import sys

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402

user, _ = get_user_model().objects.get_or_create(username=sys.argv[1], defaults={"email": f"{sys.argv[1]}@example.com"})
user.set_password(sys.argv[2])
user.save()
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(session.session_key)
