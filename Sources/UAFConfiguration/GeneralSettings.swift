import FidoResults

/// `[general]`.
public struct GeneralSettings: Equatable, Sendable {
  /// What happens without the server.
  public enum Offline: String, CaseIterable, Sendable {
    /// No login.
    case deny
    /// A login with the secret alone, if no TLS handshake with the server was completed, for a time after its last verdict.
    case allow
  }

  /// The language where the person's locale names none.
  public internal(set) var language = Language.english
  /// The PAM environment variable the server's token goes to; empty for none.
  public internal(set) var exportToken = ""
  /// Whether states are hidden; nil: from remote callers, not from local ones.
  public internal(set) var hideState: Bool?
  /// What happens without the server.
  public internal(set) var offline = Offline.deny
  /// How long ``Offline/allow`` holds after the server last accepted a login.
  public internal(set) var offlineMaximumAge: Duration?
  /// Whether the account stage may ask the server; where it may not, what the server said last decides.
  public internal(set) var accountCheckOnline = true

  /// Whether states are hidden from such a caller.
  public func hidesState(remote: Bool) -> Bool { hideState ?? remote }

  /// Seconds: a minute to thirty days.
  static let offlineAgeRange = 60...2_592_000

  static var settings: [Setting<GeneralSettings>] {
    [
      .choice("language", \.language),
      .text("export_token", \.exportToken, allowed: AllowedText.environmentWords, AllowedText.environmentName),
      .boolean("hide_state", \.hideState),
      .choice("offline", \.offline),
      .boolean("account_check_online", \.accountCheckOnline),
      Setting(name: "offline_max_age") { value, section throws(SettingRefusal) in
        section.offlineMaximumAge = .seconds(try Setting<GeneralSettings>.integer(value, offlineAgeRange))
      },
    ]
  }
}
