"""Settings that both Django projects share: a secret, a database, a host, and a log line for each login."""

import os
import pathlib

FOLDER = pathlib.Path(os.environ["FOLDER"])
SECRET_KEY = os.environ["SECRET"]
DEBUG = False
ALLOWED_HOSTS = [os.environ["RP_ID"]]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "project.db"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
LOGIN_REDIRECT_URL = "/"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
LOGGING = {
    "version": 1,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
