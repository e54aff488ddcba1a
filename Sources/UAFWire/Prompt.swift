/// A question to the person (PROTOCOL.md, *prompt*).
///
/// `text` is complete by itself; the other fields say the same in parts, for front ends that draw
/// their own screen.
public struct Prompt: Equatable, Sendable {
  /// Whether the entry may be seen.
  public var echo: Bool
  /// The check that asks: `passcode`, `choice`, ...; at most 32 bytes.
  public var check: String
  /// Which entry.
  public var step: PromptStep
  /// What to show; at most ``WireLimit/text`` bytes.
  public var text: String
  /// Tries left before a lock; nil where that is not told.
  public var remainingAttempts: UInt32?
  /// What was wrong with the last entry.
  public var errorMessage: String?
  /// What the login is for.
  public var reason: String?

  /// A prompt with its required parts.
  public init(echo: Bool, check: String, step: PromptStep, text: String) {
    self.echo = echo
    self.check = check
    self.step = step
    self.text = text
  }
}
