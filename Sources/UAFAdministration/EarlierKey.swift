import UAFMessages
import UAFService

/// A key of somebody who gets a role, which does not count for the steps of administrators by itself.
package struct EarlierKey: Equatable, Sendable {
  package let aaid: AAID
  package let keyID: KeyID
  /// Who has issued its code, as whoever lets it count was shown; nil if they were not shown that.
  package let issuedBy: String?

  /// What stands for an issuer that nobody knows.
  static let unknownIssuer = "unknown"

  package init(aaid: AAID, keyID: KeyID, issuedBy: String? = nil) {
    self.aaid = aaid
    self.keyID = keyID
    self.issuedBy = issuedBy
  }

  package init(_ key: KeyRecord) {
    self.init(aaid: key.aaid, keyID: key.keyID, issuedBy: key.origin.issuedBy ?? Self.unknownIssuer)
  }

  /// AAID, a space, KeyID; and after another space the issuer, if there is one.
  package var text: String { ([aaid.text, keyID.text] + [issuedBy].compactMap(\.self)).joined(separator: " ") }

  /// Reads what ``text`` has written; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, let aaid = try? AAID(parts[0]),
      let keyID = try? KeyID(json: .string(parts[1]), path: "key")
    else { return nil }
    self.init(aaid: aaid, keyID: keyID, issuedBy: parts.count == 3 ? parts[2] : nil)
  }

  /// Whether a stored key is this one, and came from where it was said to come from.
  func isSame(as key: KeyRecord) -> Bool {
    let other = EarlierKey(key)
    return aaid == other.aaid && keyID == other.keyID && (issuedBy == nil || issuedBy == other.issuedBy)
  }
}
