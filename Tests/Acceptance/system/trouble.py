"""The rows of `trouble`: docs/locked-out.md and docs/runbooks. A run of all rows has the short ones: less than a minute."""

SHORT = (
    "locked-out-by-hand",
    "locked-out-profile",
    "runbook-lost-laptop",
    "runbook-server-down",
)

LONG = (
    "locked-out-command",
    "locked-out-sulogin",
    "runbook-certificate-expired",
    "runbook-clock-wrong",
    "runbook-leaked-server-key",
    "runbook-leaked-state-folder",
    "runbook-store-restored",
    "runbook-vulnerability",
)
