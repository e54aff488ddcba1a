// Purpose: W3C Web Authentication Level 3 as data, for both sides: options, collected client data, authenticator data, COSE
// keys, attestation and responses are read and made, and a relying party's checks are pure functions. Bytes in, values out: no
// clock, no randomness, no files, no sockets. Origins are opaque and compared byte by byte. Imports CBOR, UAFCrypto and
// UAFMessages (JSON, base64url).
