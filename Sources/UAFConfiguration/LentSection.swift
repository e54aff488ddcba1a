/// A part of the configuration that root can lend to the server: `follow` of `[policy]`.
public enum LentSection: String, CaseIterable, Sendable {
  /// `[passcode]`: lengths, `[passcode.rules]`, `[passcode.ignore]` and `[passcode.regex]`.
  case passcode
  /// `[pattern]`: the fewest nodes.
  case pattern
  /// `[lock]` and `[lock.remote]`, for everybody but root.
  case lock
  /// The texts of `[prompt]`.
  case promptTexts = "prompt.texts"
}
