import FidoResults

/// What holds for one PAM service: `[general]` and `[prompt]` under `[service.NAME]`.
public struct ServiceSettings: Equatable, Sendable {
  /// Language, token, hidden states, offline.
  public internal(set) var general: GeneralSettings
  /// How people are asked.
  public internal(set) var prompt: PromptSettings
  /// The authenticator to use, by type or AAID; nil for the person's choice.
  public internal(set) var authenticator: String?
  /// Whether a text is shown and signed.
  public internal(set) var transaction = false
  /// What the prompt says instead of the service's name; the name in a language that has none.
  public internal(set) var reason: AdministratorText?

  static var settings: [Setting<ServiceSettings>] {
    let own: [Setting<ServiceSettings>] = [
      .text("authenticator", \.authenticator, allowed: AllowedText.authenticatorWords, AllowedText.authenticator),
      .boolean("transaction", \.transaction),
      Setting(name: "reason") { value, section throws(SettingRefusal) in
        guard let reason = AllowedText.messages(value) else {
          throw SettingRefusal(problem: "must be \(AllowedText.messagesWords)")
        }
        section.reason = reason
      },
    ]
    return own + GeneralSettings.settings.map { $0.lifted(to: \.general) }
      + PromptSettings.settings.map { $0.lifted(to: \.prompt) }
  }
}

extension Setting {
  /// The same key in a section that holds this one.
  fileprivate func lifted<Outer>(to path: WritableKeyPath<Outer, Section>) -> Setting<Outer> {
    Setting<Outer>(name: name) { value, outer throws(SettingRefusal) in
      try store(value, &outer[keyPath: path])
    }
  }
}
