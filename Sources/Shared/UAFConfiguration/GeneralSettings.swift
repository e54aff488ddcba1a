import FidoResults

/// `[general]`.
public struct GeneralSettings: Equatable, Sendable {
  /// What happens without the server.
  public enum Offline: String, CaseIterable, Sendable {
    /// No login.
    case deny
    /// A login with only the secret, if no TLS handshake with the server was completed, for a limited time after its last
    /// verdict.
    case allow
  }

  /// The language if the person's locale names none.
  public internal(set) var language = Language.english
  /// The PAM environment variable the server's token goes to; empty for none.
  public internal(set) var exportToken = ""
  /// Whether states are hidden; nil to hide them from remote callers, but not from local ones.
  public internal(set) var hideState: Bool?
  /// What happens without the server.
  public internal(set) var offline = Offline.deny
  /// How long ``Offline/allow`` applies after the server last accepted a login.
  public internal(set) var offlineMaximumAge: Duration?
  /// Whether the account stage asks the server; if false, the server's last answer decides.
  public internal(set) var accountCheckOnline = true

  /// Whether states are hidden from such a caller.
  public func hidesState(remote: Bool) -> Bool { hideState ?? remote }

  /// Seconds: a minute to thirty days.
  static let offlineAgeRange = 60...2_592_000

  static var settings: [Setting<GeneralSettings>] {
    [
      .choice("language", \.language),
      .text("export_token", \.exportToken, allowed: .environmentName, AllowedText.environmentName),
      .boolean("hide_state", \.hideState),
      .choice("offline", \.offline),
      .boolean("account_check_online", \.accountCheckOnline),
      Setting(name: "offline_max_age") { value, section throws(SettingProblem) in
        section.offlineMaximumAge = .seconds(try Setting<GeneralSettings>.integer(value, offlineAgeRange))
      },
    ]
  }
}

/// `[prompt]`: how people are asked.
public struct PromptSettings: Equatable, Sendable {
  /// Texts for screen readers, without drawings.
  public internal(set) var accessible = false
  /// Whether registering anew is offered.
  public internal(set) var offersReset = false
  /// How often one call asks; nil for the program's default: once, or three times in uafctl.
  public internal(set) var tries: Int?
  /// Whether more than one prompt may be shown; nil for the service's default.
  public internal(set) var interactive: Bool?
  /// The text that names the other way to log in, by language.
  public internal(set) var cancelTexts: [Language: String] = [:]

  /// The allowed values of `tries` and of the module argument.
  public static let triesRange = 1...10

  /// Services whose programs can show several prompts in turn.
  ///
  /// Each also covers the other names of its program (``ServiceFamily``).
  static let interactiveServices: Set<String> = ["sudo", "su", "login", "sshd", "passwd", "uafctl"]

  static var settings: [Setting<PromptSettings>] {
    [
      .boolean("accessible", \.accessible),
      .boolean("offer_reset", \.offersReset),
      .integer("tries", \.tries, triesRange),
      .boolean("interactive", \.interactive),
      Setting(name: "cancel_text") { value, section throws(SettingProblem) in
        section.cancelTexts = try cancelTexts(value)
      },
    ]
  }

  private static func cancelTexts(_ value: TOMLNode.Value) throws(SettingProblem) -> [Language: String] {
    guard let texts = AllowedText.byLanguage(value) else { throw .form(.messagesByLanguage) }
    return texts
  }
}

/// The settings for one PAM service: `[general]` and `[prompt]` under `[service.NAME]`.
public struct ServiceSettings: Equatable, Sendable {
  /// Language, token, hidden states, offline.
  public internal(set) var general: GeneralSettings
  /// How people are asked.
  public internal(set) var prompt: PromptSettings
  /// The authenticator to use, by type or AAID; nil for the person's choice.
  public internal(set) var authenticator: String?
  /// Whether a text is shown and signed.
  public internal(set) var transaction = false
  /// What the prompt says instead of the service's name; in a language without a text, the name is used.
  public internal(set) var reason: AdministratorText?

  static var settings: [Setting<ServiceSettings>] {
    let own: [Setting<ServiceSettings>] = [
      .text("authenticator", \.authenticator, allowed: .authenticator, AllowedText.authenticator),
      .boolean("transaction", \.transaction),
      Setting(name: "reason") { value, section throws(SettingProblem) in
        guard let reason = AllowedText.messages(value) else { throw .form(.messages) }
        section.reason = reason
      },
    ]
    return own + GeneralSettings.settings.map { $0.lifted(to: \.general) }
      + PromptSettings.settings.map { $0.lifted(to: \.prompt) }
  }
}

extension Setting {
  /// The same key for a section that has this one as a property.
  fileprivate func lifted<Outer>(to path: WritableKeyPath<Outer, Section>) -> Setting<Outer> {
    Setting<Outer>(name: name) { value, outer throws(SettingProblem) in
      try store(value, &outer[keyPath: path])
    }
  }
}

/// What root requires of an account in the account stage: `account_check` in a line of /etc/pam.d.
public enum AccountCheck: Equatable, Sendable {
  /// `account_check`: an account that the server calls disabled or locked is refused; an account with an unknown state is not.
  case refusesBlocked
  /// `account_check=required`: only an account that the server calls active may log in.
  case demandsActive
}

/// `[server.context]` and `[server.success]`: what the plain dialect leaves to each server.
public struct PlainSettings: Equatable, Sendable {
  /// The members of the context that are sent: under our name for each, the name that the server uses for it.
  ///
  /// They are in the query of both URLs, and so in the server's access log. Nothing else is sent.
  public internal(set) var contextNames: [String: String] = [:]
  /// The member of an answer that means success; nil without `[server.success]`.
  public internal(set) var successMember: String?
  /// The value of that member in a success.
  public internal(set) var successValue: String?

  /// The items that can be sent to a server in addition to the message.
  static let contextMembers = [
    "username", "deviceID", "deviceName", "deviceModel", "deviceOS", "authCode", "transaction", "proof", "proofFor",
    "deregisterAAID", "deregisterAll",
  ]

  static var contextSettings: [Setting<Self>] {
    contextMembers.map { member in
      .text(member, \.contextNames[member], allowed: .parameterName, parameter)
    }
  }

  static var successSettings: [Setting<Self>] {
    [
      .text("member", \.successMember, allowed: .successMark, mark),
      .text("value", \.successValue, allowed: .successMark, mark),
    ]
  }

  private static func parameter(_ text: String) -> String? {
    let isName = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7a).contains($0 | 0x20) || "._-".utf8.contains($0)
    }
    return (1...64).contains(text.utf8.count) && isName ? text : nil
  }

  private static func mark(_ text: String) -> String? {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7e).contains($0) } ? text : nil
  }
}

/// `[state]`: where accounts are kept and how costly a guess is.
public struct StateSettings: Equatable, Sendable {
  /// The folder of the device key and the accounts.
  public internal(set) var directory = "/var/lib/pam-uaf"
  /// The key derivation's cost as root has written it: scrypt with N two to this power, r 8, p 2; nil for the default.
  public internal(set) var kdfCost: Int?

  /// The cost if root has set none.
  public static let defaultKDFCost = 16
  /// The default cost for a secret whose wrong entries a chip counts: every guess has to go through the chip.
  public static let defaultKDFCostWithIndex = 14

  /// The allowed values of `kdf_cost`.
  public static let kdfCostRange = 14...20
  /// The allowed values for demonstrations against a loopback server.
  public static let demonstrationKDFCostRange = 10...20

  /// The file of the state folder in which `uafctl trust` keeps the server of a payload, written as configuration.
  public static let trustFileName = "trust.conf"

  static var settings: [Setting<StateSettings>] {
    [
      .text("directory", \.directory, allowed: .absolutePath, AllowedText.absolutePath),
      Setting(name: "kdf_cost") { value, section throws(SettingProblem) in
        guard case .integer(let number) = value, let cost = Int(exactly: number),
          demonstrationKDFCostRange.contains(cost)
        else { throw .form(.derivationCost) }
        section.kdfCost = cost
      },
    ]
  }
}

/// `[tpm]`: whether a chip holds the device key, and where the chip is.
public struct TPMSettings: Equatable, Sendable {
  /// Where a new device key is stored, and which keys are used.
  public enum Use: String, CaseIterable, Sendable {
    /// New keys are in a file.
    case off
    /// A chip seals a new key, if there is one.
    case ifAvailable = "if_available"
    /// No login uses a key that is in a file.
    case require
  }

  /// Where a new device key is stored, and which keys are used.
  ///
  /// A key that a chip has sealed is opened by the chip whatever this setting is.
  public internal(set) var use = Use.off
  /// The path of the chip's device or socket; empty for ``defaultPlace``.
  public internal(set) var tcti = ""
  /// Whether a secret may be set only if the chip counts wrong entries; if false and the chip cannot, only this machine counts
  /// them.
  public internal(set) var requiresPINIndex = false

  /// The kernel's device, which several programs can use at the same time.
  public static let defaultPlace = "/dev/tpmrm0"

  /// The path of the chip's device or socket.
  public var place: String { tcti.isEmpty ? Self.defaultPlace : tcti }

  static var settings: [Setting<TPMSettings>] {
    [
      .choice("use", \.use),
      .text("tcti", \.tcti, allowed: .chipPlace) { text in
        guard text.isEmpty || (AllowedText.absolutePath(text) != nil && text.utf8.count <= 107) else { return nil }
        return text
      },
      .boolean("require_pin_index", \.requiresPINIndex),
    ]
  }
}

/// `[policy]`: what root lets the server decide that this machine has joined.
public struct PolicySettings: Equatable, Sendable {
  /// The parts in which the server's policy applies; none by default.
  public internal(set) var followed: [LentSection] = []

  static var settings: [Setting<PolicySettings>] {
    [
      Setting(name: "follow") { value, section throws(SettingProblem) in
        let refusal = SettingProblem.form(.choices(LentSection.allCases.map(\.rawValue)))
        guard case .array(let nodes) = value else { throw refusal }
        var followed: [LentSection] = []
        for node in nodes {
          guard case .string(let name) = node.value, let part = LentSection(rawValue: name), !followed.contains(part)
          else { throw refusal }
          followed.append(part)
        }
        section.followed = followed
      }
    ]
  }
}
