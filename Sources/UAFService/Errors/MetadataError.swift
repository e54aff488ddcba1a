/// Why a metadata statement that could be read is of no use here.
package enum MetadataError: Error, Equatable, CustomStringConvertible {
  case unknownScheme
  case unknownAlgorithm
  case unknownKeyEncoding
  case notACertificate
  case repeatedModel

  /// Says what the statement has that is not known here.
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
