import FidoResults
import UAFMessages

/// An authentication in the form of the server's protocol: UAF or WebAuthn.
///
/// Both have the same steps and outcomes, so a login does not depend on the protocol.
public enum LoginFlow: Sendable {
  case uaf(AuthenticationFlow)
  case webAuthn(CredentialAuthentication)

  /// Asks the server for a request, without waiting for the answer.
  public mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      try flow.start(over: &transport)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      try flow.start(over: &transport)
    }
  }

  /// Reads the server's answer before ``collect(over:among:)``, once it has come.
  public mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire) {
    switch self {
    case .uaf(var flow):
      flow.receive(over: &transport)
      self = .uaf(flow)
    case .webAuthn(var flow):
      flow.receive(over: &transport)
      self = .webAuthn(flow)
    }
  }

  /// Reads and drops the answer to the last question, which is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  public mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return flow.drop(over: &transport)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      return flow.drop(over: &transport)
    }
  }

  /// Receives the request and finds the authenticators that satisfy it.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription]
  ) throws(Refusal) -> AuthenticationOffer {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return try flow.collect(over: &transport, among: authenticators)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      return try flow.collect(over: &transport, among: authenticators)
    }
  }

  /// The server's text for a name without a key here; WebAuthn has none.
  ///
  /// Throws what came instead of a request.
  public mutating func answer<Wire: Transport & ~Copyable>(
    over transport: inout Wire
  ) throws(Refusal) -> TransactionText? {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return try flow.answer(over: &transport)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      try flow.answer(over: &transport)
      return nil
    }
  }

  /// Has one authenticator sign.
  public mutating func sign<Signer: AssertionSigner & CredentialSigner & ~Copyable>(
    with signer: inout Signer
  ) throws(Refusal) {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      try flow.sign(with: &signer)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      try flow.sign(with: &signer)
    }
  }

  /// Sends what was signed and returns the server's verdict.
  public mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return try flow.send(over: &transport)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      return try flow.send(over: &transport)
    }
  }
}
