import COpenSSL

/// What an attestation certificate says about its authenticator; the certificate itself has not been verified.
public struct AttestationCertificate: Equatable, Sendable {
  /// Its public key, DER.
  public let subjectPublicKeyInfo: [UInt8]

  /// Whether it has the form that WebAuthn Level 3, section 8.2.1, demands: version 3, the unit "Authenticator Attestation",
  /// and basic constraints that do not make it an authority.
  public let isForAuthenticators: Bool

  /// The 16 bytes of the AAGUID that it names (id-fido-gen-ce-aaguid); nil if it names none.
  public let aaguid: [UInt8]?

  /// Reads one certificate.
  ///
  /// - Parameter der: one certificate, nothing after it.
  /// - Throws: ``CryptoError/invalidCertificate``, including for an AAGUID that is there twice, is critical, or has another
  ///   form.
  public init(der: [UInt8]) throws(CryptoError) {
    // SAFETY: the certificate is ours until the `defer`, and only lent to the calls.
    let certificate = try unsafe X509.parse(der)
    defer {
      unsafe X509_free(certificate)
      OpenSSLQueue.clear()
    }
    guard let key = unsafe X509.subjectPublicKeyInfo(of: certificate) else { throw .invalidCertificate }
    subjectPublicKeyInfo = key
    let flags = unsafe X509_get_extension_flags(certificate)
    let isLeaf = flags & UInt32(EXFLAG_BCONS) != 0 && flags & UInt32(EXFLAG_CA | EXFLAG_INVALID) == 0
    let isCurrent = unsafe X509_get_version(certificate) == X509_VERSION_3
    let isNamed = unsafe Self.hasUnit(certificate)
    isForAuthenticators = isLeaf && isCurrent && isNamed
    aaguid = try unsafe Self.aaguid(of: certificate)
  }

  @unsafe private static func hasUnit(_ certificate: OpaquePointer) -> Bool {
    let expected = Array("Authenticator Attestation".utf8)
    // Space for one more character than expected, so that a longer text differs, and for OpenSSL's NUL.
    var text = [CChar](repeating: 0, count: expected.count + 2)
    // SAFETY: the name belongs to the certificate; the length of the buffer is stated.
    let count = unsafe X509_NAME_get_text_by_NID(
      X509_get_subject_name(certificate), NID_organizationalUnitName, &text, CInt(text.count))
    return Int(count) == expected.count && text.prefix(expected.count).elementsEqual(expected.map(CChar.init))
  }

  /// The AAGUID in the extension, an OCTET STRING of 16 bytes.
  @unsafe private static func aaguid(of certificate: OpaquePointer) throws(CryptoError) -> [UInt8]? {
    // SAFETY: the identifier is ours until the `defer`; extension and value belong to the certificate.
    guard let identifier = unsafe OBJ_txt2obj("1.3.6.1.4.1.45724.1.1.4", 1) else { throw .outOfMemory }
    defer { unsafe ASN1_OBJECT_free(identifier) }
    let index = unsafe X509_get_ext_by_OBJ(certificate, identifier, -1)
    guard index >= 0 else { return nil }
    guard unsafe X509_get_ext_by_OBJ(certificate, identifier, index) < 0,
      let found = unsafe X509_get_ext(certificate, index), unsafe X509_EXTENSION_get_critical(found) == 0,
      let value = unsafe X509_EXTENSION_get_data(found), let bytes = unsafe ASN1_STRING_get0_data(value)
    else { throw .invalidCertificate }
    let content = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(value))))
    guard content.count == 18, content[0] == 0x04, content[1] == 16 else { throw .invalidCertificate }
    return Array(content[2...])
  }
}
