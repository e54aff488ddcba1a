/// What a machine's proof is about: one request for one account.
public struct MachineClaim: Equatable, Sendable {
  /// The operation that is asked for, or answered; nil for the question in which state the account is.
  public let operation: UAFOperation?
  /// Whether the request carries a UAF response; otherwise it asks for a UAF request.
  public let isAnswer: Bool
  /// The account's name at the server.
  public let username: String

  /// Makes a claim.
  public init(operation: UAFOperation?, isAnswer: Bool, username: String) {
    self.operation = operation
    self.isAnswer = isAnswer
    self.username = username
  }

  /// The claim of a machine that asks in which state an account is.
  public static func state(of username: String) -> MachineClaim {
    MachineClaim(operation: nil, isAnswer: false, username: username)
  }

  /// Whether it asks in which state the account is.
  public var asksForState: Bool { operation == nil && !isAnswer && !isCheckIn && !isJoining }

  // MARK: A body

  /// The claim of a machine that has joined and asks to join again.
  ///
  /// As ``checkIn(bodyHash:)``.
  ///
  /// - Parameter bodyHash: the SHA-256 of the request's body.
  public static func joining(bodyHash: [UInt8]) -> MachineClaim {
    .state(of: joiningPrefix + Base64URL.encode(bodyHash))
  }

  /// Whether a machine that has joined asks to join again.
  public var isJoining: Bool { isOf(Self.joiningPrefix) }

  /// The claim of a machine that has joined and tells a server how it is.
  ///
  /// The name is of no account: none has a space in it. So this claim is good for nothing else, and for no other body.
  ///
  /// - Parameter bodyHash: the SHA-256 of the request's body.
  public static func checkIn(bodyHash: [UInt8]) -> MachineClaim {
    .state(of: checkInPrefix + Base64URL.encode(bodyHash))
  }

  /// Whether a machine tells the server how it is.
  public var isCheckIn: Bool { isOf(Self.checkInPrefix) }

  private func isOf(_ prefix: String) -> Bool {
    operation == nil && !isAnswer && username.utf8.starts(with: prefix.utf8)
  }

  private static let checkInPrefix = "check-in "
  private static let joiningPrefix = "join "
}
