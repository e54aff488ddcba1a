"""Relying parties of others that speak WebAuthn, each started here, and a small authenticator that tries them."""
