import SecretMemory
import UAFWire

/// What uaf-chip has answered: how it ended, and the secret that came with it.
struct ChipReply: ~Copyable {
  let answer: ChipAnswer
  /// The share or the key; nil where nothing was opened.
  var key: Secret?
}
