// Purpose: The UAF client: registration, authentication and deregistration as sequences of requests over a `Transport` and of
// calls to an authenticator. No sockets, no files, no prompts, no SQL, no Foundation.
