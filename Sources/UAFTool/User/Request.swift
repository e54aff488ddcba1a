import UAFWire

/// What a subcommand asks the core for.
struct Request: Equatable {
  /// What is to be done.
  var operation: Operation
  /// The account, as named on the command line; nil: the caller's own.
  var user: String?
  /// Whether `user` stood alone where a type may stand alone as well.
  var mayNameType = false
  /// An authenticator type or AAID; nil: the core chooses or asks.
  var authenticator: String?
  /// The payload: an enrolment code, or one that approves a text.
  var payload: [UInt8]?
  /// Whether the server's token is wanted.
  var wantsToken = false
  /// A text to be confirmed by the person's value.
  var transaction: [UInt8]?
  /// Whether the core says when it is ready, and asks only after *resume*.
  var isDivided = false
  /// Whether what the payload asks to have approved is denied.
  var denies = false

  /// A request for the caller's own account, without options.
  init(_ operation: Operation) { self.operation = operation }

  /// A request about an account and an authenticator, as far as they are named.
  init(_ operation: Operation, about names: Names) {
    self.operation = operation
    (user, mayNameType) = (names.user, names.user != nil && names.type == nil)
    authenticator = names.type
  }
}
