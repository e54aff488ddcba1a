// Purpose: The bytes of PROTOCOL.md: frames, conversation and fetch messages, the tables of what may follow what, and the
// packet socket. Imports SecretMemory and Glibc; knows nothing of UAF, PAM or HTTP beyond the field names.
