import FidoResults
import UAFMessages

/// An authentication in the server's protocol: ``AuthenticationFlow`` for UAF, or ``CredentialAuthentication`` for WebAuthn.
///
/// Both have the same steps and outcomes, so a login does not depend on the protocol.
public protocol LoginFlow: Sendable {
  /// Asks the server for a UAF request or a WebAuthn challenge, without waiting for the answer.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)

  /// Reads the server's answer early, once it has arrived, so that ``collect(over:among:)`` need not wait for it.
  mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire)

  /// Reads the answer to the last HTTP request and discards it, because it is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool

  /// Receives the request and finds the authenticators that satisfy it.
  mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription]
  ) throws(Refusal) -> AuthenticationOffer

  /// Receives the server's answer for a name without a key here, and returns the text in it; nil if there is none.
  ///
  /// If the server sent a refusal instead of a request, it is thrown.
  mutating func answer<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> TransactionText?

  /// Has one authenticator sign.
  mutating func sign<Signer: AssertionSigner & CredentialSigner & ~Copyable>(with signer: inout Signer) throws(Refusal)

  /// Sends the signed response and returns the server's verdict.
  mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict
}

/// A registration in the server's protocol: ``RegistrationFlow`` for UAF, or ``CredentialRegistration`` for WebAuthn.
public protocol EnrolmentFlow: Sendable {
  /// Asks the server for a UAF request or a WebAuthn challenge, without waiting for the answer.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// - Parameter registered: other registered authenticators; they only affect the text for result 2002.
  mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides registered: [AuthenticatorDescription]
  ) throws(Refusal) -> RegistrationOffer

  /// Has one authenticator make a key and attest it.
  mutating func makeKey<Maker: KeyMaker & CredentialMaker & ~Copyable>(with maker: inout Maker) throws(Refusal)
    -> NewKey

  /// Has a registered key authorise the new keys. WebAuthn does not have this step.
  ///
  /// - Parameter authenticators: the description of the authenticator that signs.
  mutating func authorize<Signer: AssertionSigner & ~Copyable>(
    with signer: inout Signer, describedBy authenticators: [AuthenticatorDescription]
  ) throws(Refusal)

  /// Sends the new keys and returns the server's verdict.
  mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict

  /// The authentication that the server demanded in its answer to the new keys; nil for WebAuthn, which has no such demand.
  func furtherAuthentication() -> (any LoginFlow)?
}

extension ClientSettings {
  /// An authentication at this server.
  ///
  /// The parameters are those of ``AuthenticationFlow``. WebAuthn can neither carry a text nor give a token for a further
  /// operation. So with a text, the flow fails before anything is sent; with a proof, it is an ordinary login.
  public func authentication(
    as username: String, transaction: TransactionText? = nil, isServers: Bool = false, proof: ProofSubject? = nil
  ) -> any LoginFlow {
    guard let webAuthn else {
      return AuthenticationFlow(
        settings: self, username: username, transaction: transaction, isServers: isServers, proof: proof)
    }
    return CredentialAuthentication(settings: self, rules: webAuthn, username: username, hasText: transaction != nil)
  }

  /// A registration at this server.
  ///
  /// The parameters are those of ``RegistrationFlow``. In WebAuthn, the machine secret and the lost keys are not sent.
  public func registration(
    as username: String, entitlement: Entitlement, joined: MachineSecret?, lostKeyIDs: [KeyID]
  ) -> any EnrolmentFlow {
    guard let webAuthn else {
      return RegistrationFlow(
        settings: self, username: username, entitlement: entitlement, joined: joined, lostKeyIDs: lostKeyIDs)
    }
    return CredentialRegistration(settings: self, rules: webAuthn, username: username, entitlement: entitlement)
  }
}
