/// A counter that was put on the disk together with the end of an attempt, and that nobody has signed with yet.
///
/// A login writes twice after a correct entry: it clears the attempt, and it counts the signature. Put together they cost
/// one wait for the disk and not two.
final class ReservedCounter {
  private var reserved: (keyID: [UInt8], counter: UInt32)?

  /// Counts a signature of the only key of `type`; inside `write`.
  ///
  /// With several keys it is not known yet which will sign, and the journal's reserve is made for few pages. A key that has
  /// signed as often as it can is left as it is: that is reported at the signature.
  ///
  /// - Returns: what to hand to ``keep(_:)`` once the transaction is on the disk.
  static func count(_ type: AuthenticatorType, in records: AccountRecords) throws(StateError) -> UAFKey? {
    let keys = try records.keys().filter { $0.type == type }
    guard keys.count == 1, var key = keys.first, (try? key.countSignature()) != nil else { return nil }
    try records.put(key)
    return key
  }

  /// Keeps the counter of a key for one signature.
  func keep(_ key: UAFKey?) { reserved = key.map { ($0.keyID, $0.signCounter) } }

  /// The counter for a signature with this key, once.
  ///
  /// - Parameter stored: the key as it is on the disk now. Where another login has counted since, the server may have seen more,
  ///   and the reserved counter is of no use.
  func take(for stored: UAFKey) -> UInt32? {
    defer { reserved = nil }
    guard let (keyID, counter) = reserved, keyID == stored.keyID, counter == stored.signCounter else { return nil }
    return counter
  }
}
