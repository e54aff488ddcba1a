import UAFMessages

/// What the person confirms by entering the value.
struct TextToConfirm {
  let text: TransactionText
  /// Whether the server added the text by itself.
  var isServers = false
}
