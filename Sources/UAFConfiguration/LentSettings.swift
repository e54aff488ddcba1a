import Authenticator
import FidoResults

/// What a server's policy asks for: the text of a workstation policy, read and checked by itself.
///
/// What the text leaves out has the value that changes nothing.
public struct LentSettings: Sendable {
  /// The most bytes of a text.
  public static let maximumSize = 16 * 1024

  /// Which policy it is.
  public let version: Int64
  /// Lengths, rules, ignored texts and expressions; the rest is not used.
  var passcode = PasscodeSettings.allowingAll
  /// Fewest nodes.
  var minimumNodes = Pattern.minimumNodesRange.lowerBound
  /// `[lock]`.
  var lock = LockSettings()
  /// `[lock.remote]`.
  var remoteLock = LockSettings()
  /// The texts of `[prompt]`.
  var cancelTexts: [Language: String] = [:]
  /// What the text says, key by key, in its order; for comparing one text with another.
  public internal(set) var entries: [(key: String, value: String)] = []
  /// Where each key stands in the text.
  var lines: [String: ConfigurationLine] = [:]

  init(version: Int64) { self.version = version }

  /// How errors and reports name a policy; one that is not saved yet has the version 0.
  public static func name(of version: Int64) -> String { version == 0 ? "policy" : "policy \(version)" }

  /// The sections that it says something in.
  public var sections: [LentSection] {
    let names = lines.keys
    func has(_ section: String) -> Bool { names.contains { $0 == section || $0.hasPrefix(section + ".") } }
    return LentSection.allCases.filter { has($0 == .promptTexts ? "prompt" : $0.rawValue) }
  }
}

extension PasscodeSettings {
  /// Settings that refuse nothing.
  fileprivate static var allowingAll: PasscodeSettings {
    var settings = PasscodeSettings()
    settings.policy.minimumLength = PasscodePolicy.lengthRange.lowerBound
    settings.policy.maximumLength = PasscodePolicy.lengthRange.upperBound
    return settings
  }
}
