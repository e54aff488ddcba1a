import Authenticator
import FidoResults
import UAFWire

/// One question for a value.
struct Question {
  /// Which value: several types where the prompt must not show which of them the account has.
  var types: [AuthenticatorType]
  var step = PromptStep.current
  /// What a new value has to be like; nil where the prompt does not say it.
  var requirements: String?
  /// What was wrong with the last entry.
  var error: String?
  /// Tries left before a lock; nil where the prompt does not say it.
  var tries: Int?
  /// The name in the prompt.
  var user: String
  /// Whether an empty line leads back to the list.
  var canGoBack = false
  /// Whether the fingerprint sensor waits meanwhile.
  var isBesideSensor = false

  /// How texts name what is asked for.
  var kind: ValueKind { .oneOf(types.map(\.kind)) }
  /// The one type that is asked for; nil for several.
  var type: AuthenticatorType? { types.count == 1 ? types[0] : nil }
}
