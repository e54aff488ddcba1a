import COpenSSL

extension X509 {
  /// The number of the hash function of a certificate's own signature.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``; ``CryptoError/unavailable(_:)`` for a signature without one.
  static func signatureHash(der: [UInt8]) throws(CryptoError) -> CInt {
    if let identifier = namedSignatureHash(der: der) { return identifier }
    // SAFETY: the certificate is ours until the `defer`.
    let certificate = try unsafe parse(der)
    defer { unsafe X509_free(certificate) }
    var identifier: CInt = NID_undef
    guard unsafe X509_get_signature_info(certificate, &identifier, nil, nil, nil) == 1, identifier != NID_undef
    else { throw OpenSSLQueue.failure(.unavailable(.certificate)) }
    return identifier
  }

  /// The same, where the name of the signature's algorithm alone says it; nil for every other certificate, broken ones included.
  ///
  /// OpenSSL decodes the public key of each certificate that it reads, which takes 0.4 ms of a login. This looks at the second of
  /// a certificate's three parts only (RFC 5280, section 4.1).
  private static func namedSignatureHash(der: [UInt8]) -> CInt? {
    // SAFETY: `next` stays within the array, which is lent for the closure; each length was checked against what is left of it.
    unsafe der.withUnsafeBufferPointer { bytes in
      defer { OpenSSLQueue.clear() }
      var next = bytes.baseAddress
      guard let end = unsafe bytes.baseAddress.map({ unsafe $0 + bytes.count }),
        let whole = unsafe lengthOfSequence(&next, end), unsafe next.map({ unsafe $0 + whole }) == end,
        let signed = unsafe lengthOfSequence(&next, end), let begin = unsafe next
      else { return nil }
      unsafe next = begin + signed
      guard let algorithm = unsafe d2i_X509_ALGOR(nil, &next, end - (begin + signed))
      else { return nil }
      defer { unsafe X509_ALGOR_free(algorithm) }
      var identifier: CInt = NID_undef
      let isKnown = unsafe OBJ_find_sigid_algs(OBJ_obj2nid(algorithm.pointee.algorithm), &identifier, nil) == 1
      return isKnown && identifier != NID_undef ? identifier : nil
    }
  }

  /// Reads the beginning of a sequence, and returns the length of what is in it; nil for anything else.
  @unsafe private static func lengthOfSequence(
    _ next: inout UnsafePointer<UInt8>?, _ end: UnsafePointer<UInt8>
  ) -> Int? {
    var (length, tag, kind) = (0, CInt(0), CInt(0))
    // SAFETY: `next` is not behind the end. No more is read than is told, and no length beyond that is found.
    guard let begin = unsafe next else { return nil }
    let form = unsafe ASN1_get_object(&next, &length, &tag, &kind, end - begin)
    return form == V_ASN1_CONSTRUCTED && tag == V_ASN1_SEQUENCE && kind == V_ASN1_UNIVERSAL ? length : nil
  }
}
