import FidoResults

/// The document of *status* in lines for a person.
enum StatusReport {
  /// The lines, without an end of line at the last one.
  static func text(_ document: StatusDocument) -> String {
    var lines: [String] = []
    if let name = document.accountName { lines.append("account: \(ShownText.line(name))") }
    if let name = document.serverUserName { lines.append("name at the server: \(ShownText.line(name))") }
    if document.authenticators.isEmpty { lines.append("no authenticator is enabled") }
    for authenticator in document.authenticators { lines += self.lines(authenticator) }
    return lines.joined(separator: "\n")
  }

  /// One authenticator in a line.
  static func line(_ authenticator: StatusDocument.Authenticator) -> String {
    let name = authenticator.aaid.map { " (\(ShownText.line($0)))" } ?? ""
    return "\(ShownText.line(authenticator.type))\(name): \(state(authenticator.state))"
  }

  private static func lines(_ authenticator: StatusDocument.Authenticator) -> [String] {
    var lines = [line(authenticator)]
    let isInUse = authenticator.state == available || authenticator.state == locked
    switch authenticator.atServer {
    case "revoked": lines.append("  at the server: revoked: ask the administrator for a new registration")
    case "unknown": lines.append("  at the server: not registered any more: register again")
    default: break
    }
    if isInUse, let local = authenticator.local { lines.append("  here: \(counter(local))") }
    if isInUse, let remote = authenticator.remote { lines.append("  over the network: \(counter(remote))") }
    if isInUse, let others = authenticator.otherUser { lines.append("  by other users here: \(counter(others))") }
    return lines
  }

  private static func counter(_ counter: StatusDocument.Counter) -> String {
    if counter.isPermanent { return "locked for good: only root's uafctl unlock helps" }
    if counter.remainingLockSeconds > 0 { return "locked for \(counter.remainingLockSeconds) s" }
    return "\(counter.remainingTries) \(counter.remainingTries == 1 ? "try" : "tries") left"
  }

  private static func state(_ number: Int64) -> String {
    switch number {
    case notSupported: "not supported"
    case available: "available"
    case 3007: "not registered"
    case locked: "locked"
    default: "state \(number)"
    }
  }

  /// Enabled, and nothing this version can verify.
  static let notSupported: Int64 = 3005
  /// Registered and usable.
  static let available: Int64 = 3006
  /// Registered, and not usable for a while or for good.
  static let locked: Int64 = 3008
}
