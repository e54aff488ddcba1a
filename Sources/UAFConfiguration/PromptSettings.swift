import FidoResults

/// `[prompt]`: how people are asked.
public struct PromptSettings: Equatable, Sendable {
  /// Texts for screen readers, without drawings.
  public internal(set) var accessible = false
  /// Whether registering anew is offered.
  public internal(set) var offersReset = false
  /// How often one call asks; nil for the program's own: once, three times in uafctl.
  public internal(set) var tries: Int?
  /// Whether more than one prompt may be shown; nil for the service's default.
  public internal(set) var interactive: Bool?
  /// The text that names the other way to log in, by language.
  public internal(set) var cancelTexts: [Language: String] = [:]

  /// What `tries` and the module argument may be.
  public static let triesRange = 1...10

  /// Services whose programs can show several prompts in turn.
  ///
  /// Each stands for the other names of its program as well (``ServiceFamily``).
  static let interactiveServices: Set<String> = ["sudo", "su", "login", "sshd", "passwd", "uafctl"]

  static var settings: [Setting<PromptSettings>] {
    [
      .boolean("accessible", \.accessible),
      .boolean("offer_reset", \.offersReset),
      .integer("tries", \.tries, triesRange),
      .boolean("interactive", \.interactive),
      Setting(name: "cancel_text") { value, section throws(SettingRefusal) in
        section.cancelTexts = try cancelTexts(value)
      },
    ]
  }

  private static func cancelTexts(_ value: TOMLNode.Value) throws(SettingRefusal) -> [Language: String] {
    let words = "must be a table of languages, each with \(AllowedText.messageWords): { en = \"...\", ko = \"...\" }"
    guard let texts = AllowedText.byLanguage(value) else { throw SettingRefusal(problem: words) }
    return texts
  }
}
