import UAFWire

/// What one exchange brought: its head, and the body that came behind it.
struct FetchAnswer: Equatable {
  /// How it ended.
  var response: FetchResponse
  /// Empty without an answer.
  var body: [UInt8] = []
}
