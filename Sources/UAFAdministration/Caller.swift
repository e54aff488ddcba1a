import UAFService

/// Who asks for an operation.
package struct Caller: Equatable, Sendable {
  /// As the audit names them.
  package let actor: AuditActor
  package let role: Role
  /// Where they are, as the audit has it; empty on this machine.
  package let address: String

  package init(actor: AuditActor, role: Role, address: String) {
    self.actor = actor
    self.role = role
    self.address = address
  }

  /// - Throws: ``AdministrationRefusal/notAllowed(_:)``.
  package func require(_ permission: Permission) throws(AdministrationRefusal) {
    guard role.allows(permission) else { throw .notAllowed(permission) }
  }
}
