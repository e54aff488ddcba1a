import AuthenticatorTypes
import UAFCrypto
import UAFMessages

/// The models a server accepts, in the order it prefers them.
package struct AuthenticatorModels: Sendable {
  let all: [AuthenticatorModel]

  package subscript(aaid: AAID) -> AuthenticatorModel? {
    all.first { $0.description.aaid == aaid }
  }

  /// Makes the models of some statements.
  ///
  /// Two statements about one model are an error.
  package init(_ statements: [MetadataStatement]) throws(MetadataError) {
    var models: [AuthenticatorModel] = []
    for statement in statements {
      guard !models.contains(where: { $0.description.aaid == statement.aaid }) else { throw .repeatedModel }
      models.append(try AuthenticatorModel(statement))
    }
    all = models
  }

  /// Whether another model has one of this model's roots.
  ///
  /// Then only the leaf certificate tells which model attests.
  func sharesRoot(_ model: AuthenticatorModel) -> Bool {
    all.contains { other in
      other.description.aaid != model.description.aaid
        && other.attestationRootCertificates.contains { model.attestationRootCertificates.contains($0) }
    }
  }

  /// The authenticators of this project: software, surrogate attestation, ECDSA P-256 raw.
  package static func projectOwn() throws -> AuthenticatorModels {
    try AuthenticatorModels(AuthenticatorType.allCases.map { try .projectOwn($0) })
  }
}

/// What the server knows of an authenticator model: the part of its metadata statement that verification needs.
package struct AuthenticatorModel: Equatable, Sendable {
  /// Characteristics for policy matching; the version is the lowest one that is acceptable.
  package let description: AuthenticatorDescription
  /// How its keys sign.
  let scheme: SignatureScheme
  /// How it encodes its public keys.
  let publicKeyEncoding: PublicKeyEncoding
  /// How it verifies the person: alternatives, each with the USER_VERIFY flags of the methods that are used together.
  let verificationMethods: [Set<UInt32>]
  /// Roots for full attestation, DER.
  ///
  /// Empty means surrogate attestation, and nothing else.
  let attestationRootCertificates: [[UInt8]]

  /// Makes a model from its statement.
  ///
  /// - Throws: ``MetadataError`` if assertions of the model could not be verified here.
  package init(_ statement: MetadataStatement) throws(MetadataError) {
    guard statement.assertionScheme == AssertionScheme.uafV1TLV else { throw .unknownScheme }
    guard let scheme = SignatureScheme(rawValue: statement.authenticationAlgorithm) else { throw .unknownAlgorithm }
    guard let encoding = PublicKeyEncoding(rawValue: statement.publicKeyAlgAndEncoding), encoding.fits(scheme) else {
      throw .unknownKeyEncoding
    }
    guard statement.attestationRootCertificates.allSatisfy(X509.isCertificate) else { throw .notACertificate }
    description = statement.authenticator
    self.scheme = scheme
    publicKeyEncoding = encoding
    verificationMethods = statement.userVerificationDetails.map { Set($0.map(\.userVerification)) }
    attestationRootCertificates = statement.attestationRootCertificates
  }
}

extension MetadataStatement {
  /// The statement of one of this project's authenticators.
  ///
  /// It states the weakest values that the configuration allows: the type's own figures, and for every type the most entries
  /// until a lock and the shortest lock.
  package static func projectOwn(_ type: AuthenticatorType) throws(MessageError) -> MetadataStatement {
    let maxRetries = UInt16(LockPolicy.retryCountRange.upperBound)
    let blockSlowdown = UInt16(LockPolicy.lockTimeRange.lowerBound.components.seconds)
    let method: VerificationMethodDescriptor
    switch type.accuracy {
    case .code(let base, let minimumLength):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        caDesc: CodeAccuracyDescriptor(
          base: base, minLength: minimumLength, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .pattern(let minimumComplexity):
      method = VerificationMethodDescriptor(
        userVerification: type.userVerification,
        paDesc: PatternAccuracyDescriptor(
          minComplexity: minimumComplexity, maxRetries: maxRetries, blockSlowdown: blockSlowdown))
    case .unstated: method = VerificationMethodDescriptor(userVerification: type.userVerification)
    }
    return MetadataStatement(
      aaid: try AAID(type.aaid), description: "pam-uaf \(type.rawValue)", userVerificationDetails: [[method]])
  }
}

/// Why the server cannot use a metadata statement, although it could be read.
package enum MetadataError: Error, Equatable, CustomStringConvertible {
  case unknownScheme
  case unknownAlgorithm
  case unknownKeyEncoding
  case notACertificate
  case repeatedModel

  /// What is wrong with the statement, and what can be done about it.
  package var description: String {
    switch self {
    case .unknownScheme: "its assertionScheme is not UAFV1TLV: remove the statement"
    case .unknownAlgorithm: "its authenticationAlgorithm is none of 1 to 6, 8 and 9: remove the statement"
    case .unknownKeyEncoding: "its publicKeyAlgAndEncoding does not go with its algorithm: have its maker correct it"
    case .notACertificate: "one of its attestationRootCertificates is not a certificate: have its maker correct it"
    case .repeatedModel: "another statement has the same aaid: remove one of them"
    }
  }
}
