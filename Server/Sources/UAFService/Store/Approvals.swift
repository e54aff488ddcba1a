/// The texts that somebody wants a person to confirm, each with a one-time code; one open text per account.
///
/// A store keeps ``OneTimeCode/hash(_:)``, not the code. Wrong codes are not counted, for the reason that ``Enrolments`` gives.
package protocol Approvals {
  /// Opens a text, and closes an earlier open text of the account.
  ///
  /// - Parameter expiresAt: seconds since 1970.
  /// - Returns: the number of the text.
  func open(_ text: String, code: String, for username: String, expiresAt: Int64) throws -> Int64

  /// Finds the open text.
  ///
  /// A wrong code changes nothing, and takes as long for a name without an account.
  ///
  /// - Parameter now: seconds since 1970.
  /// - Returns: nil if the code is wrong, expired or used, or if the account has no open text.
  func check(code: String, for username: String, now: Int64) throws -> Approval?

  /// Reserves the text for one challenge; an earlier request for it can no longer be answered.
  func reserve(id: Int64, challengeHash: [UInt8]) throws

  /// The text, if it is open and reserved by this challenge.
  func text(id: Int64, reservedBy challengeHash: [UInt8], now: Int64) throws -> String?

  /// Marks the text as denied; from then on its code is invalid, and requests for it can no longer be answered.
  ///
  /// - Returns: false if it was confirmed or denied in the meantime; nothing is changed then.
  func deny(id: Int64, now: Int64) throws -> Bool

  /// The outcome of a text, for the program that waits for it.
  func outcome(id: Int64, now: Int64) throws -> ApprovalOutcome

  /// The record of a text; nil if the text was closed, or if there is none with this number.
  func record(id: Int64, now: Int64) throws -> ApprovalRecord?

  /// The records of texts, the newest first.
  ///
  /// - Parameters:
  ///   - id: texts with lower numbers; nil for the first page.
  ///   - limit: how many at most.
  func page(before id: Int64?, limit: Int, now: Int64) throws -> [ApprovalRecord]

  /// How many texts there are; at most `limit` are counted.
  func count(upTo limit: Int) throws -> Int

  /// Removes a text that nobody has confirmed or denied; from then on nobody can.
  ///
  /// - Returns: the account of the text; nil if there is no such text.
  func close(id: Int64) throws -> String?

  /// Removes the account's text if nobody has confirmed or denied it; from then on nobody can.
  func close(for username: String) throws

  /// Removes all texts that nobody has confirmed or denied.
  func closeAll() throws
}

/// A text that waits to be confirmed.
package struct Approval: Equatable, Sendable {
  package let id: Int64
  /// The text as it is shown and signed.
  package let shown: String

  package init(id: Int64, shown: String) {
    self.id = id
    self.shown = shown
  }
}

/// The outcome of a text that waited to be confirmed.
package enum ApprovalOutcome: Equatable, Sendable {
  case open
  case confirmed
  /// The person denied it, which is final.
  case denied
  /// It expired, a newer text closed it, or the account's keys were revoked.
  case closed
}

/// The record of a text and its outcome, for those who asked for the confirmation.
package struct ApprovalRecord: Equatable, Sendable {
  package let id: Int64
  package let username: String
  package let shown: String
  /// Seconds since 1970.
  package let expiresAt: Int64
  package let outcome: ApprovalOutcome

  package init(id: Int64, username: String, shown: String, expiresAt: Int64, outcome: ApprovalOutcome) {
    self.id = id
    self.username = username
    self.shown = shown
    self.expiresAt = expiresAt
    self.outcome = outcome
  }
}
