"""Programs that provision accounts: somebody else's checks of SCIM 2.0, and what identity providers send."""
