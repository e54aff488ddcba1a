import FidoResults
import UAFMessages

/// A registration in the form of the server's protocol: UAF or WebAuthn.
///
/// Both have the same steps and outcomes. WebAuthn has no authorisation by a registered key and no further authentication.
public enum EnrolmentFlow: Sendable {
  case uaf(RegistrationFlow)
  case webAuthn(CredentialRegistration)

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

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// - Parameter registered: other registered authenticators; they only decide the text for 2002.
  public mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides registered: [AuthenticatorDescription]
  ) throws(Refusal) -> RegistrationOffer {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return try flow.collect(over: &transport, among: authenticators, besides: registered)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      return try flow.collect(over: &transport, among: authenticators)
    }
  }

  /// Has one authenticator make a key and attest it.
  public mutating func makeKey<Maker: KeyMaker & CredentialMaker & ~Copyable>(
    with maker: inout Maker
  ) throws(Refusal) -> NewKey {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      return try flow.makeKey(with: &maker)
    case .webAuthn(var flow):
      defer { self = .webAuthn(flow) }
      return try flow.makeKey(with: &maker)
    }
  }

  /// Has a registered key authorise the keys that were made.
  ///
  /// - Parameter authenticators: the description of the authenticator that signs.
  public mutating func authorize<Signer: AssertionSigner & ~Copyable>(
    with signer: inout Signer, describedBy authenticators: [AuthenticatorDescription]
  ) throws(Refusal) {
    switch self {
    case .uaf(var flow):
      defer { self = .uaf(flow) }
      try flow.authorize(with: &signer, describedBy: authenticators)
    case .webAuthn(let flow): throw flow.outOfTurn()
    }
  }

  /// Sends the new keys and returns the server's verdict.
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

  /// The authentication that the server demanded in answer to the new key; nil in WebAuthn.
  public func furtherAuthentication() -> LoginFlow? {
    if case .uaf(let flow) = self { .uaf(flow.furtherAuthentication()) } else { nil }
  }
}
