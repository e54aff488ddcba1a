"""Logins by face, on a face service that was written for these rows."""
