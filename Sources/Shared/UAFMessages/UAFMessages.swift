// Purpose: FIDO UAF 1.0/1.1 messages as data: strict JSON, base64url, TLV, requests, responses, assertions, policies and
// their matching. Pure: bytes in, values out, no input or output, no clock, no randomness, no cryptography.
// Imports the standard library only.
