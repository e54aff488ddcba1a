import FidoResults
import UAFMessages

/// An authentication in the form of the server's protocol: ``AuthenticationFlow`` or ``CredentialAuthentication``.
///
/// Both have the same steps and outcomes, so a login does not depend on the protocol.
public protocol LoginFlow: Sendable {
  /// Asks the server for a request, without waiting for the answer.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)

  /// Reads the server's answer before ``collect(over:among:)``, once it has come.
  mutating func receive<Wire: Transport & ~Copyable>(over transport: inout Wire)

  /// Reads and drops the answer to the last question, which is no longer needed.
  ///
  /// - Returns: whether the server was reached.
  mutating func drop<Wire: Transport & ~Copyable>(over transport: inout Wire) -> Bool

  /// Receives the request and finds the authenticators that satisfy it.
  mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription]
  ) throws(Refusal) -> AuthenticationOffer

  /// The server's text for a name without a key here; nil if there is none.
  ///
  /// Throws what came instead of a request.
  mutating func answer<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> TransactionText?

  /// Has one authenticator sign.
  mutating func sign<Signer: AssertionSigner & CredentialSigner & ~Copyable>(with signer: inout Signer) throws(Refusal)

  /// Sends what was signed and returns the server's verdict.
  mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict
}

/// A registration in the form of the server's protocol: ``RegistrationFlow`` or ``CredentialRegistration``.
public protocol EnrolmentFlow: Sendable {
  /// Asks the server for a request, without waiting for the answer.
  mutating func start<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal)

  /// Receives the request and finds the authenticators that satisfy it and are not registered already.
  ///
  /// - Parameter registered: other registered authenticators; they only decide the text for 2002.
  mutating func collect<Wire: Transport & ~Copyable>(
    over transport: inout Wire, among authenticators: [AuthenticatorDescription],
    besides registered: [AuthenticatorDescription]
  ) throws(Refusal) -> RegistrationOffer

  /// Has one authenticator make a key and attest it.
  mutating func makeKey<Maker: KeyMaker & CredentialMaker & ~Copyable>(with maker: inout Maker) throws(Refusal)
    -> NewKey

  /// Has a registered key authorise the keys that were made, which WebAuthn does not have.
  ///
  /// - Parameter authenticators: the description of the authenticator that signs.
  mutating func authorize<Signer: AssertionSigner & ~Copyable>(
    with signer: inout Signer, describedBy authenticators: [AuthenticatorDescription]
  ) throws(Refusal)

  /// Sends the new keys and returns the server's verdict.
  mutating func send<Wire: Transport & ~Copyable>(over transport: inout Wire) throws(Refusal) -> Verdict

  /// The authentication that the server demanded in answer to the new keys; nil in WebAuthn, where none is.
  func furtherAuthentication() -> (any LoginFlow)?
}

extension ClientSettings {
  /// An authentication at this server.
  ///
  /// The parameters are those of ``AuthenticationFlow``. WebAuthn has no place for a text, and its success proves nothing further: a
  /// flow with a text fails before anything is sent, and one with a proof is a login.
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
  /// The parameters are those of ``RegistrationFlow``. WebAuthn knows no machine, and is not told of keys that were lost.
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
