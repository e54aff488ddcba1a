import UAFMessages
import UAFService

/// An unlock as a person is given it; it is shown once, and stored nowhere.
package struct IssuedUnlock: Equatable, Sendable {
  package let statement: UnlockStatement
  /// The signed payload, one line.
  package let payload: String
  /// The codes to type, one for each secret that the machine may have; none if nothing is known of it.
  package let codes: [UnlockGrants.Typed]

  /// By which log and audit of both sides name it.
  package var id: String { Base64URL.encode(statement.id) }
}
