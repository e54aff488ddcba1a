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

  /// Who asks, in a text that a person confirms.
  var introduction: String {
    switch actor {
    case .administrator(let name): "\(role.rawValue) \(name)"
    case .commandLine(let uid, _): uid == 0 ? "root at the server" : "uid \(uid) at the server"
    case .person, .server, .machine, .token: actor.text
    }
  }

  /// - Throws: ``AdministrationRefusal/notAllowed(_:)``.
  package func require(_ permission: Permission) throws(AdministrationRefusal) {
    guard role.allows(permission) else { throw .notAllowed(permission) }
  }
}
