import UAFService

/// Who asks for an operation.
package struct Caller: Equatable, Sendable {
  /// As the audit names them.
  package let actor: AuditActor
  package let role: Role
  /// Where they are, as the audit has it; empty on this machine.
  package let address: String
  /// SHA-256 of the token of their session in the console; nil for everybody who is not there.
  package let session: [UInt8]?
  /// Whether they have signed what they ask for now.
  private let isSigned: Bool

  package init(
    actor: AuditActor, role: Role, address: String, session: [UInt8]? = nil, hasSigned isSigned: Bool = false
  ) {
    self.actor = actor
    self.role = role
    self.address = address
    self.session = session
    self.isSigned = isSigned
  }

  /// The server itself, which takes back what it has made for somebody.
  static let server = Caller(actor: .server, role: .administrator, address: "")

  /// The same caller, who has signed the one step that is done next.
  package var signing: Caller {
    Caller(actor: actor, role: role, address: address, session: session, hasSigned: true)
  }

  /// Whether they could change the store itself: root, or the server's own user.
  var isAtServer: Bool {
    switch actor {
    case .commandLine, .server: true
    case .person, .machine, .token, .administrator: false
    }
  }

  /// Whether a code that they issue may be for a privileged account, and makes a key that counts for the steps of administrators.
  ///
  /// Neither a token nor a session is enough: whoever had got hold of one could make themselves an administrator who signs.
  var vouches: Bool { role.reachesPrivileged && (isSigned || isAtServer) }

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

  /// - Throws: ``AdministrationRefusal/signatureNeeded``.
  func requireSignature() throws(AdministrationRefusal) {
    guard isSigned || isAtServer else { throw .signatureNeeded }
  }
}
