// Purpose: root's configuration with what he lends to the server. Everything here makes a rule stricter or leaves it as it is.

import Authenticator
import FidoResults

/// Root's configuration and a server's policy: what counts where both say something.
public struct PolicyMerge {
  private let own: Configuration
  private let lent: LentSettings

  /// - Parameters:
  ///   - own: root's configuration.
  ///   - lent: the server's policy.
  public init(own: Configuration, lent: LentSettings) {
    self.own = own
    self.lent = lent
  }

  /// Root's configuration with the policy, in the parts that root lends: the stricter value of the two counts, and rules,
  /// ignored texts and expressions add up.
  ///
  /// - Throws: ``ConfigurationError`` where no passcode could meet both; the error names the policy's line.
  public func merged() throws(ConfigurationError) -> Configuration {
    var merged = own
    merged.followed = lent
    if own.policy.followed.contains(.passcode) {
      merged.passcode = passcode()
      try check(merged.passcode.policy)
    }
    if own.policy.followed.contains(.pattern) {
      merged.pattern.minimumNodes = max(own.pattern.minimumNodes, lent.minimumNodes)
    }
    if own.policy.followed.contains(.promptTexts) {
      // A service with texts of its own keeps them.
      for (name, service) in own.services where service.prompt.cancelTexts == own.prompt.cancelTexts {
        merged.services[name]?.prompt.cancelTexts.merge(lent.cancelTexts) { _, servers in servers }
      }
      merged.prompt.cancelTexts.merge(lent.cancelTexts) { _, servers in servers }
    }
    return merged
  }

  private func passcode() -> PasscodeSettings {
    var passcode = own.passcode
    let other = lent.passcode.policy
    passcode.policy.minimumLength = max(passcode.policy.minimumLength, other.minimumLength)
    passcode.policy.maximumLength = min(passcode.policy.maximumLength, other.maximumLength)
    passcode.policy.rules.merge(other.rules) { own, _ in own }
    passcode.policy.ignored += other.ignored
    passcode.policy.expressions += other.expressions
    // A longer passcode of earlier must still be enterable: without Enter it would end at the new limit.
    if passcode.policy.maximumLength < own.passcode.policy.maximumLength { passcode.autoSubmit = false }
    return passcode
  }

  // MARK: What leaves no passcode

  /// Refuses a policy that leaves no passcode, as far as lengths show it.
  private func check(_ merged: PasscodePolicy) throws(ConfigurationError) {
    let asked = lent.passcode.policy
    if let digits = merged.uiType.digitCount {
      guard asked.minimumLength <= digits else {
        throw refused("passcode.min_length", "root's ui_type has \(digits) digits: no passcode can meet both")
      }
      guard asked.maximumLength >= digits else {
        throw refused("passcode.max_length", "root's ui_type has \(digits) digits: no passcode can meet both")
      }
    } else {
      let (shortest, longest) = (merged.minimumLength, merged.maximumLength)
      guard shortest <= longest else {
        throw refused(
          own.passcode.policy.minimumLength == shortest ? "passcode.max_length" : "passcode.min_length",
          "with root's values min_length (\(shortest)) is above max_length (\(longest)): no passcode can meet both")
      }
    }
    guard Self.hasRoomForExpressions(merged) || !Self.hasRoomForExpressions(own.passcode.policy) else {
      throw refused("passcode.regex", "with root's values an expression needs more characters than are allowed")
    }
  }

  /// Whether the longest passcode has room for what each expression needs at the least.
  private static func hasRoomForExpressions(_ policy: PasscodePolicy) -> Bool {
    let longest = policy.uiType.digitCount ?? policy.maximumLength
    var all = policy.expressions.map(\.expression)
    if policy.uiType == .normal, let expression = policy.regularExpression { all.append(expression) }
    return all.allSatisfy { $0.minimumLength <= longest }
  }

  /// A refusal that names the policy's line of a key.
  private func refused(_ key: String, _ problem: String) -> ConfigurationError {
    let table = key.split(separator: ".").dropLast().joined(separator: ".")
    let line = lent.lines[key] ?? lent.lines[table]
    return .key(path: LentSettings.name(of: lent.version), line: line?.number ?? 1, key: key, problem: problem)
  }
}
