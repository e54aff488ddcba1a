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
    case .notACertificate: "one of its attestationRootCertificates is no certificate: have its maker correct it"
    case .repeatedModel: "another statement has the same aaid: remove one of them"
    }
  }
}
