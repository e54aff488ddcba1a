import UAFAdministration
import UAFService

/// The limits and the records of passkeys' requests and answers, which the console shares with logins.
package struct PasskeyGuard: Sendable {
  /// Whether options for an account, or for any, are made for an address now.
  package let admitsQuestion: @Sendable (_ account: String?, _ address: String) -> Bool
  /// Whether one more answer to a challenge is verified now.
  package let admitsAnswer: @Sendable (ReceivedPasskeyResponse) -> Bool
  /// Counts a refused answer, and records it; returns false if a limit is reached.
  ///
  /// Without a reason, it only counts one more answer to the same challenge. The owner is the account whose passkey has signed;
  /// nil if none has.
  package let refused:
    @Sendable (
      _ answer: ReceivedPasskeyResponse?, _ refusal: ServiceRefusal?, _ owner: String?, _ address: String
    ) async throws -> Bool

  package init(
    admitsQuestion: @escaping @Sendable (String?, String) -> Bool,
    admitsAnswer: @escaping @Sendable (ReceivedPasskeyResponse) -> Bool,
    refused:
      @escaping @Sendable (
        ReceivedPasskeyResponse?, ServiceRefusal?, String?, String
      ) async throws -> Bool
  ) {
    self.admitsQuestion = admitsQuestion
    self.admitsAnswer = admitsAnswer
    self.refused = refused
  }
}

/// Everything that the console depends on, in addition to what the administration does.
package struct ConsoleEnvironment: Sendable {
  package let administration: AdministrationEnvironment
  package let keys: ServerKeys
  /// Verifies passkeys, whose answers may come from a page of the console.
  package let passkeys: PasskeyService
  package let passkeyGuard: PasskeyGuard
  /// The base URL that clients use.
  package let publicURL: @Sendable () throws -> String
  /// Whether one more sign-in may begin from an address.
  package let admitsSignIn: @Sendable (_ name: String) -> Bool
  /// Whether one more request without a session is answered for an address.
  package let allowsAnonymous: @Sendable (_ name: String) -> Bool
  /// Formats a time, given in seconds since 1970, for people, in UTC.
  package let timeText: @Sendable (Int64) -> String
  /// Parses a time that somebody has typed, as seconds since 1970; nil if it is not a time.
  package let readTime: @Sendable (String) -> Int64?
  package let version: String
  package let facts: ServerFacts
  /// Receives errors that were not refusals, for the log.
  package let report: @Sendable (any Error) -> Void

  package init(
    administration: AdministrationEnvironment, keys: ServerKeys, passkeys: PasskeyService,
    passkeyGuard: PasskeyGuard, publicURL: @escaping @Sendable () throws -> String,
    admitsSignIn: @escaping @Sendable (String) -> Bool, allowsAnonymous: @escaping @Sendable (String) -> Bool,
    timeText: @escaping @Sendable (Int64) -> String,
    readTime: @escaping @Sendable (String) -> Int64?, version: String, facts: ServerFacts,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.administration = administration
    self.keys = keys
    self.passkeys = passkeys
    self.passkeyGuard = passkeyGuard
    self.publicURL = publicURL
    self.admitsSignIn = admitsSignIn
    self.allowsAnonymous = allowsAnonymous
    self.timeText = timeText
    self.readTime = readTime
    self.version = version
    self.facts = facts
    self.report = report
  }

  var now: Int64 { administration.now() }
}

/// Facts about the server for its administrators; none of them is secret.
package struct ServerFacts: Sendable {
  /// The service at an address.
  package enum Listener: Sendable {
    case logins
    case administration
    case metrics
  }

  /// One of the server's keys, by its ID.
  package struct Key: Sendable {
    package enum Use: Sendable {
      case inUse
      case toCome
      case accepted
      /// It was replaced more than a day ago, and is still in the file.
      case ended
    }

    let kind: String
    let id: String
    /// The time from which it is used, in seconds since 1970; nil for a key that is older than the first rotation.
    let from: Int64?
    let use: Use

    package init(kind: String, id: String, from: Int64?, use: Use) {
      self.kind = kind
      self.id = id
      self.from = from
      self.use = use
    }
  }

  let listeners: [(listener: Listener, address: String)]
  /// Returns when the certificates that clients see now will expire, in seconds since 1970.
  let certificateEnds: @Sendable () -> [Int64]
  /// The store's engine, without its address.
  let store: String
  /// Returns the keys at a time, in seconds since 1970.
  let keys: @Sendable (_ now: Int64) -> [Key]

  package init(
    listeners: [(listener: Listener, address: String)], certificateEnds: @escaping @Sendable () -> [Int64],
    store: String,
    keys: @escaping @Sendable (Int64) -> [Key]
  ) {
    self.listeners = listeners
    self.certificateEnds = certificateEnds
    self.store = store
    self.keys = keys
  }
}
