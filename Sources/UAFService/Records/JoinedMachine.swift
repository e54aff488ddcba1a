/// A machine that has joined with a code, and what became of it.
///
/// What a machine says about itself is not verified.
package struct JoinedMachine: Equatable, Sendable {
  /// The number of the join code.
  package let codeNumber: Int64
  /// The device id.
  package let id: String
  /// As it described itself when it joined or checked in last.
  package let name: String?
  package let model: String?
  package let system: String?
  package let group: String
  /// Seconds since 1970, and so are the others.
  package let joinedAt: Int64
  /// When it left by itself; nil if it has not, or has joined again.
  package let leftAt: Int64?
  /// When an administrator revoked it; it does not join again with this code.
  package let revokedAt: Int64?
  /// What it has told since; nil if it has not checked in with this code.
  package let contact: MachineContact?

  package init(
    codeNumber: Int64, id: String, name: String?, model: String?, system: String?, group: String, joinedAt: Int64,
    leftAt: Int64? = nil, revokedAt: Int64? = nil, contact: MachineContact? = nil
  ) {
    self.codeNumber = codeNumber
    self.id = id
    self.name = name
    self.model = model
    self.system = system
    self.group = group
    self.joinedAt = joinedAt
    self.leftAt = leftAt
    self.revokedAt = revokedAt
    self.contact = contact
  }

  /// Since when the server does not know it any more, in seconds since 1970; nil if it does.
  package var departedAt: Int64? { leftAt ?? revokedAt }
}
