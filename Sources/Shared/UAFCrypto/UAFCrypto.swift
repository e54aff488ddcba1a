// Purpose: The only Swift that touches OpenSSL: P-256 keys and ECDSA, Ed25519, verification by every algorithm of the UAF
// registry, SHA-256, HMAC, HKDF, scrypt, AES-256-GCM, random bytes, X.509 as far as TLS channel binding, attestation and
// the development certificate need it. Errors say what failed, and never contain a key or a secret. Imports SecretMemory
// and COpenSSL; no files, no sockets, no Foundation.
//
// Every call into OpenSSL that fails leaves the thread's error queue empty (OpenSSLQueue), and every object
// that OpenSSL returns is freed by a `defer` next to the call that made it.
