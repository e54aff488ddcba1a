"""Logins by fingerprint, on fprintd with its virtual sensor."""
