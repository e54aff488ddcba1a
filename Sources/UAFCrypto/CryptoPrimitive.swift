/// The operations an error can name.
public enum CryptoPrimitive: String, Equatable, Sendable {
  case sha256 = "SHA-256"
  case hmac = "HMAC-SHA-256"
  case hkdf = "HKDF-SHA-256"
  case scrypt = "scrypt"
  case gcm = "AES-256-GCM"
  case random = "random bytes"
  case p256 = "ECDSA P-256"
  case rsa = "RSA"
  case certificate = "X.509"
}
