import COpenSSL

extension P256 {
  /// The most keys of one text.
  public static let maximumKeys = 4

  /// The raw public keys in a PEM text, `BEGIN PUBLIC KEY` each, in its order.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for a text without such a key, with more than ``maximumKeys``, and for one that holds
  ///   something else as well: a key that is not understood is not left out.
  public static func publicKeys(pem: [UInt8]) throws(CryptoError) -> [[UInt8]] {
    let begin = Array("-----BEGIN ".utf8)
    var keys: [[UInt8]] = []
    var start: Int?
    for index in pem.indices where pem[index...].starts(with: begin) {
      if let start { keys.append(try publicKey(pem: Array(pem[start..<index]))) }
      guard keys.count < maximumKeys else { throw .invalidKey }
      start = index
    }
    keys.append(try publicKey(pem: start.map { Array(pem[$0...]) } ?? []))
    return keys
  }

  /// The raw public key in a PEM text, `BEGIN PUBLIC KEY`.
  ///
  /// - Throws: ``CryptoError/invalidKey`` for a text without one key of this curve in its named, uncompressed form.
  public static func publicKey(pem: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let length = CInt(exactly: pem.count), length > 0 else { throw .invalidKey }
    // SAFETY: the BIO copies the bytes it is given; each object is ours until its `defer`.
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw OpenSSLQueue.failure(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe BIO_write(bio, pem, length) == length else { throw OpenSSLQueue.failure(.outOfMemory) }
    guard let key = unsafe PEM_read_bio_PUBKEY(bio, nil, PEMPassword.refuse, nil) else {
      throw OpenSSLQueue.failure(.invalidKey)
    }
    defer { unsafe EVP_PKEY_free(key) }
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_PUBKEY(key, &start)
    guard count > 0, let der = unsafe start else { throw OpenSSLQueue.failure(.invalidKey) }
    // SAFETY: OpenSSL allocated `count` bytes for us.
    defer { unsafe CRYPTO_free(der, nil, 0) }
    return try publicKey(subjectPublicKeyInfo: unsafe Array(UnsafeBufferPointer(start: der, count: Int(count))))
  }
}
