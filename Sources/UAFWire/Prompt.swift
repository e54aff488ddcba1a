/// A question to the person (PROTOCOL.md, *prompt*).
///
/// `text` is complete by itself; the other fields say the same in parts, for front ends that draw
/// their own screen.
public struct Prompt: Equatable, Sendable {
  /// The fields of *prompt*.
  enum Field: UInt8, PacketField {
    case echo = 1
    case check
    case step
    case text
    case remainingAttempts
    case errorMessage
    case reason
    case entryLength
    case option
    case confirmed

    static let rules = [
      echo.rule(.flag, required: true),
      check.rule(.text(32), required: true),
      step.rule(.u8, required: true),
      text.rule(.text(WireLimit.text), required: true),
      remainingAttempts.rule(.u32),
      errorMessage.rule(.text(WireLimit.text)),
      reason.rule(.text(WireLimit.text)),
      entryLength.rule(.u32),
      option.rule(.text(WireLimit.option), repeats: WireLimit.options),
      confirmed.rule(.text(WireLimit.text)),
    ]
  }

  /// Whether the entry may be seen.
  public var echo: Bool
  /// What kind of answer is expected.
  public var check: Check
  /// Which entry.
  public var step: PromptStep
  /// What to show; at most ``WireLimit/text`` bytes.
  public var text: String
  /// Tries left before a lock; nil if that is not shown.
  public var remainingAttempts: UInt32?
  /// What was wrong with the last entry.
  public var errorMessage: String?
  /// What the login is for.
  public var reason: String?
  /// The entry is complete at so many characters; 1 to ``WireLimit/entry``.
  ///
  /// A front end that owns the terminal may then send it without Enter.
  public var entryLength: UInt32?
  /// The choices of check `choice`, in order; the answer is the number of one, from 1, in decimal digits.
  ///
  /// At most ``WireLimit/options`` of at most ``WireLimit/option`` bytes.
  public var options: [String] = []
  /// What the answer confirms, to be shown in a message of its own right before the prompt; at most ``WireLimit/text`` bytes.
  ///
  /// A front end that cannot show it cancels.
  public var confirmed: String?

  /// A prompt with its required parts.
  public init(echo: Bool, check: Check, step: PromptStep, text: String) {
    self.echo = echo
    self.check = check
    self.step = step
    self.text = text
  }
}
