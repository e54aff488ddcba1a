"""Third-party relying parties for WebAuthn, each started here, and a small authenticator that tests them."""
