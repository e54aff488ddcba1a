import COpenSSL

/// The path from an attestation key to a model's roots (UAF protocol 1.1, section 3.4.6.5, rule 5.7; RFC 5280).
public enum CertificateChain {
  /// The most certificates an authenticator may send.
  public static let maximumCount = 8

  /// The certificate that signs key registration data, once its path was validated.
  public struct Leaf: Equatable, Sendable {
    /// Its public key, DER.
    public let subjectPublicKeyInfo: [UInt8]
    /// The nine characters of the AAID it names (id-fido-gen-ce-aaid); nil if it names none.
    public let aaid: [UInt8]?
  }

  /// Validates a chain.
  ///
  /// A root need not be self-signed: metadata may name an intermediate issuer, or the leaf. Each certificate that was
  /// sent must issue the one before it, and must be part of the path or one of the roots, so that each is checked.
  ///
  /// - Parameters:
  ///   - certificates: as sent, DER, leaf first.
  ///   - roots: of the model's metadata statement, DER.
  ///   - time: seconds since 1970 at which every certificate of the path must be valid.
  public static func validate(
    _ certificates: [[UInt8]], roots: [[UInt8]], at time: Int64
  ) throws(CertificateChainError) -> Leaf {
    guard (1...maximumCount).contains(certificates.count) else { throw .malformed }
    defer { OpenSSLQueue.clear() }
    OpenSSLMethods.load()
    let sent = try list(certificates)
    let trusted = try list(roots)
    // SAFETY: both lists outlive every pointer taken from them here.
    guard let leaf = unsafe sent[0] else { throw .malformed }
    for index in 1..<max(sent.count, 1) {
      guard unsafe X509_check_issued(sent[index], sent[index - 1]) == X509_V_OK else { throw .outOfOrder }
    }
    // Roots are tried one at a time: of two with the same name, OpenSSL would try only the first.
    var found: [[UInt8]]?
    for index in 0..<trusted.count where found == nil {
      found = try unsafe path(from: leaf, through: sent, to: trusted[index], at: time)
    }
    guard let path = found else { throw .untrusted }
    for certificate in certificates where !path.contains(certificate) && !roots.contains(certificate) {
      throw .untrusted
    }
    guard unsafe X509_get_key_usage(leaf) & UInt32(KU_DIGITAL_SIGNATURE) != 0 else { throw .notForSigning }
    guard let key = unsafe X509.subjectPublicKeyInfo(of: leaf) else { throw .malformed }
    return try unsafe Leaf(subjectPublicKeyInfo: key, aaid: aaid(of: leaf))
  }

  private static func list(_ certificates: [[UInt8]]) throws(CertificateChainError) -> CertificateList {
    do {
      return try CertificateList(parsing: certificates)
    } catch {
      throw error == .invalidCertificate ? .malformed : .failed(error)
    }
  }

  /// The certificates of the path, DER, from the leaf to the root; nil if there is none.
  @unsafe private static func path(
    from leaf: OpaquePointer, through sent: borrowing CertificateList, to root: OpaquePointer?, at time: Int64
  ) throws(CertificateChainError) -> [[UInt8]]? {
    // SAFETY: store and context are ours until their `defer`; the store takes references of its own.
    guard let store = unsafe X509_STORE_new() else { throw .failed(.outOfMemory) }
    defer { unsafe X509_STORE_free(store) }
    guard unsafe X509_STORE_add_cert(store, root) == 1, let context = unsafe X509_STORE_CTX_new() else {
      throw .failed(.outOfMemory)
    }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard unsafe X509_STORE_CTX_init(context, store, leaf, sent.borrowed) == 1,
      let parameters = unsafe X509_STORE_CTX_get0_param(context)
    else { throw .failed(.outOfMemory) }
    unsafe X509_VERIFY_PARAM_set_time(parameters, Int(time))
    unsafe X509_VERIFY_PARAM_set_depth(parameters, CInt(maximumCount))
    // 112 bits: no SHA-1, no RSA below 2048 bits, as for the new keys.
    unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    guard unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1 else {
      throw .failed(.unavailable(.certificate))
    }
    guard unsafe X509_verify_cert(context) == 1 else { return nil }
    // SAFETY: the chain belongs to the context, and each element to the chain; the count of a missing chain is -1.
    let path = unsafe X509_STORE_CTX_get0_chain(context)
    var certificates: [[UInt8]] = []
    for index in 0..<max(0, unsafe OPENSSL_sk_num(path)) {
      guard let element = unsafe OPENSSL_sk_value(path, index) else { continue }
      do {
        certificates.append(try unsafe X509.der(of: OpaquePointer(element)))
      } catch { throw .failed(error) }
    }
    return certificates
  }

  /// The AAID in the extension id-fido-gen-ce-aaid, which distinguishes models under one vendor's root.
  ///
  /// The specification does not say which ASN.1 string it is: each kind of string and the bare characters are accepted.
  @unsafe private static func aaid(of certificate: OpaquePointer) throws(CertificateChainError) -> [UInt8]? {
    // SAFETY: the identifier is ours until the `defer`; extension and value belong to the certificate.
    guard let identifier = unsafe OBJ_txt2obj("1.3.6.1.4.1.45724.1.1.1", 1) else { throw .failed(.outOfMemory) }
    defer { unsafe ASN1_OBJECT_free(identifier) }
    let index = unsafe X509_get_ext_by_OBJ(certificate, identifier, -1)
    guard index >= 0 else { return nil }
    guard unsafe X509_get_ext_by_OBJ(certificate, identifier, index) < 0,
      let value = unsafe X509_EXTENSION_get_data(X509_get_ext(certificate, index)),
      let bytes = unsafe ASN1_STRING_get0_data(value)
    else { throw .malformedModel }
    let content = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(value))))
    let count = 9
    if content.count == count { return content }
    guard content.count == count + 2, stringTags.contains(content[0]), content[1] == UInt8(count) else {
      throw .malformedModel
    }
    return Array(content[2...])
  }

  /// OCTET STRING, UTF8String, PrintableString, IA5String.
  private static let stringTags: [UInt8] = [0x04, 0x0C, 0x13, 0x16]
}

/// Why an attestation key is not vouched for.
public enum CertificateChainError: Error, Equatable {
  /// No certificate, more than ``CertificateChain/maximumCount``, or one that is not DER.
  case malformed
  /// A certificate is not issued by the next one.
  case outOfOrder
  /// No path to a root: a different issuer, a wrong signature, expired or not yet valid, an issuer that is not an authority, or
  /// keys and hashes that are too weak.
  case untrusted
  /// The leaf's key is not meant for signatures.
  case notForSigning
  /// The leaf names its authenticator model twice or in an unknown form.
  case malformedModel
  /// OpenSSL could not do its work.
  case failed(CryptoError)
}

extension CertificateChainError: CustomStringConvertible {
  /// What failed and who must act.
  public var description: String {
    switch self {
    case .malformed: "not a chain of certificates in DER; the authenticator's maker must correct it"
    case .outOfOrder: "the certificates are not in order, leaf first; the authenticator's maker must correct it"
    case .untrusted: "the certificates do not lead to a root of the model's metadata statement"
    case .notForSigning: "the attestation certificate's key may not sign; the authenticator's maker must correct it"
    case .malformedModel: "the attestation certificate names its authenticator model in an unknown form"
    case .failed(let error): error.description
    }
  }
}

/// Certificates in OpenSSL's form, freed when the list ends.
@safe struct CertificateList: ~Copyable {
  private let stack: OpaquePointer?

  /// Reads each certificate; the order is kept.
  ///
  /// - Throws: ``CryptoError/invalidCertificate`` for one that is not DER to the last byte.
  init(parsing certificates: [[UInt8]]) throws(CryptoError) {
    // SAFETY: freed by `deinit`, which also follows a throw; OpenSSL refuses to push on a stack for which it had no memory.
    unsafe stack = OPENSSL_sk_new_null()
    for der in certificates {
      let certificate = try unsafe X509.parse(der)
      // SAFETY: the stack owns what was pushed, and nothing else does.
      guard unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(certificate)) > 0 else {
        unsafe X509_free(certificate)
        throw OpenSSLQueue.failure(.outOfMemory)
      }
      // The certificate is encoded again and compared: OpenSSL accepts more than DER.
      guard try unsafe X509.der(of: certificate) == der else { throw .invalidCertificate }
    }
  }

  deinit {
    // SAFETY: every element is a certificate that was pushed above.
    while let element = unsafe OPENSSL_sk_pop(stack) { unsafe X509_free(OpaquePointer(element)) }
    unsafe OPENSSL_sk_free(stack)
  }

  var count: Int {
    // SAFETY: the stack lives as long as the list; the count is -1 if there was no memory for the stack.
    max(0, Int(unsafe OPENSSL_sk_num(stack)))
  }

  /// A certificate, borrowed for as long as the list lives.
  @unsafe subscript(index: Int) -> OpaquePointer? {
    // SAFETY: OpenSSL returns no element for an index outside the list.
    unsafe OPENSSL_sk_value(stack, CInt(clamping: index)).map { OpaquePointer($0) }
  }

  /// The list as OpenSSL's STACK_OF(X509), borrowed for as long as the list lives.
  @unsafe var borrowed: OpaquePointer? {
    unsafe stack
  }
}
