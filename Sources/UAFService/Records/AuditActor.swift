/// Who did what a row of the audit says.
package enum AuditActor: Equatable, Sendable {
  case person
  case server
  /// A machine that joins, leaves, or tells how it is; the row names it.
  case machine
  /// Somebody at the command line; `login` is the user who logged in, whoever they became since; nil if nobody did.
  case commandLine(uid: UInt32, login: UInt32?)

  /// A program that uses the API; the name of its token.
  case token(String)
  /// Somebody who has signed in to administer the server; the name of their account.
  case administrator(String)

  /// As it is stored.
  package var text: String {
    switch self {
    case .person: "person"
    case .server: "server"
    case .machine: "machine"
    case .token(let name): "token \(name)"
    case .administrator(let name): "administrator \(name)"
    case .commandLine(let uid, let login): "command-line uid \(uid)" + (login.map { " login \($0)" } ?? "")
    }
  }
}
