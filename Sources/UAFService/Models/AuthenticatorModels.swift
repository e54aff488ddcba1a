import Authenticator
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
