import UAFWire

/// The result of one exchange: its head, and the body after it.
package struct FetchAnswer: Equatable {
  /// How it ended.
  package var response: FetchResponse
  /// The body; empty without an answer.
  package var body: [UInt8] = []
}
