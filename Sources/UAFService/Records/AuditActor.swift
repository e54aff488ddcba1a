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

  /// Reads what ``text`` has written; nil for anything else.
  package init?(text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch (parts.first, parts.count) {
    case ("person", 1): self = .person
    case ("server", 1): self = .server
    case ("machine", 1): self = .machine
    case ("token", 2): self = .token(parts[1])
    case ("administrator", 2): self = .administrator(parts[1])
    case ("command-line", 3), ("command-line", 5):
      let login = parts.count == 5 ? UInt32(parts[4]) : nil
      guard parts[1] == "uid", let uid = UInt32(parts[2]), parts.count == 3 || (parts[3] == "login" && login != nil)
      else { return nil }
      self = .commandLine(uid: uid, login: login)
    default: return nil
    }
  }
}
