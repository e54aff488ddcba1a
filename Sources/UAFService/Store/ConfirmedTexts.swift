/// The texts that were confirmed: written once, never changed, never deleted with the key that signed.
package protocol ConfirmedTexts {
  /// Adds a text under the next number; the number in `text` is not used.
  func add(_ text: ConfirmedText) throws

  /// Hands over each text, oldest first, without holding all of them at once.
  ///
  /// - Parameter username: nil for every account.
  func forEach(of username: String?, _ body: (ConfirmedText) throws -> Void) throws

  /// The text with a number; nil if there is none.
  func confirmation(_ number: Int64) throws -> ConfirmedText?
}
