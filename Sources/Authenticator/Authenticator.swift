// Purpose: What a FIDO authenticator does on this machine: values and their policies, the lock, wrapped keys, the account's
// state file. The only SQL of the client side. No sockets, no prompts, no network, no Foundation.
