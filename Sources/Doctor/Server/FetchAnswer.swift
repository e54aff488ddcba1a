import UAFWire

/// What one exchange brought: its head, and the body that came behind it.
package struct FetchAnswer: Equatable {
  /// How it ended.
  package var response: FetchResponse
  /// Empty without an answer.
  package var body: [UInt8] = []
}
