import FidoResults
import Wording

/// The document of *status* in lines for a person.
package struct StatusReport {
  private let language: Language

  package init(language: Language) { self.language = language }

  /// The lines, without an end of line at the last one.
  package func text(_ document: StatusDocument) -> String {
    var lines: [String] = []
    if let name = document.accountName { lines.append(words(.account(ShownText.line(name)))) }
    if let name = document.serverUserName { lines.append(words(.nameAtServer(ShownText.line(name)))) }
    if let state = document.serverState { lines.append(words(.serverState(state))) }
    if document.authenticators.isEmpty { lines.append(words(.noAuthenticator)) }
    for authenticator in document.authenticators { lines += self.lines(authenticator) }
    return lines.joined(separator: "\n")
  }

  /// One authenticator in a line.
  package func line(_ authenticator: StatusDocument.Authenticator) -> String {
    let name = authenticator.aaid.map { " (\(ShownText.line($0)))" } ?? ""
    let state = authenticator.isRefused ? StatusText.refusedAtServer : .state(authenticator.state)
    return "\(ShownText.line(authenticator.type))\(name): \(words(state))"
  }

  private func lines(_ authenticator: StatusDocument.Authenticator) -> [String] {
    var lines = [line(authenticator)]
    let isInUse = authenticator.isHeld
    switch authenticator.atServer {
    case "revoked": lines.append("  " + words(.revokedAtServer))
    case "unknown": lines.append("  " + words(.unknownAtServer))
    case "ahead": lines.append("  " + words(.aheadAtServer))
    default: break
    }
    if isInUse, let local = authenticator.local { lines.append("  " + words(.here(local))) }
    if isInUse, let remote = authenticator.remote { lines.append("  " + words(.overNetwork(remote))) }
    if isInUse, let others = authenticator.otherUser { lines.append("  " + words(.byOthers(others))) }
    if let obstacle = Self.obstacle(to: authenticator) { lines.append("  " + told(obstacle)) }
    if authenticator.lockOptionsWait { lines.append("  " + waiting) }
    return lines
  }

  /// What is in the way of a fingerprint; nil where nothing is.
  static func obstacle(to authenticator: StatusDocument.Authenticator) -> FidoResult? {
    // A key that is not bound to the prints can be used.
    let usable: [FidoResult] = [.biometryNotChanged, .biometryStateNotSupported]
    guard let code = authenticator.biometry else { return nil }
    return FidoResult.allListed.first { $0.code == code && !usable.contains($0) }
  }

  /// The text of 3015, and what to do.
  private var waiting: String { told(.lockOptionsIgnored) }

  /// The text of a result, and what to do.
  private func told(_ result: FidoResult) -> String {
    let words = [result.text(in: language), result.nextStep(in: language)].compactMap(\.self)
    return words.joined(separator: " ") + " [\(result.code)]"
  }

  private func words(_ text: StatusText) -> String { text.text(in: language) }
}
