import UAFCrypto
import UAFMessages

/// Everything that the service depends on: its store, its keys and the policies, and functions for time, randomness and
/// identity.
package struct ServiceEnvironment: Sendable {
  package let store: any ServerStore
  package let keys: ServerKeys
  package let models: AuthenticatorModels
  /// Which models each account may or must use; throws as long as the policies are not known.
  package let policies: @Sendable () throws -> AccountPolicies
  /// Whether clients are asked how they verified the person.
  package var verificationMethods = VerificationMethodPolicy.off
  /// The key shapes that decoys get.
  package var shapes = KeyShapeKeeper()
  /// The shapes of passkeys that decoys get.
  package var passkeyShapes = KeyShapeKeeper(of: .passkeys)
  /// The joined machines that have left or were revoked.
  package let departed: DepartedMachines
  /// The machines that this instance has refused as unknown.
  package let unknown: UnknownMachines
  /// The new troubles that machines have reported to this instance.
  package let troubles = TroubleCount()
  /// The chain of the certificate that this instance serves.
  package let served = ServedChain()
  /// For how long the audit has been unsigned.
  package let auditStanding: AuditStanding
  /// The workstation policy for machines that check in.
  package var machinePolicies: any MachinePolicies
  /// The server's identity; throws as long as it is not known.
  package let identity: @Sendable () throws -> ServerIdentity
  /// Seconds since 1970.
  package let now: @Sendable () -> Int64
  /// Random bytes for challenges and token numbers.
  package let random: @Sendable (Int) throws -> [UInt8]

  package init(
    store: any ServerStore, keys: ServerKeys, models: AuthenticatorModels,
    policies: @escaping @Sendable () throws -> AccountPolicies,
    verificationMethods: VerificationMethodPolicy = .off, shapes: KeyShapeKeeper = KeyShapeKeeper(),
    passkeyShapes: KeyShapeKeeper = KeyShapeKeeper(of: .passkeys),
    departed: DepartedMachines = DepartedMachines(), unknown: UnknownMachines = UnknownMachines(),
    auditStanding: AuditStanding = AuditStanding(),
    machinePolicies: any MachinePolicies = NoMachinePolicies(),
    identity: @escaping @Sendable () throws -> ServerIdentity, now: @escaping @Sendable () -> Int64,
    random: @escaping @Sendable (Int) throws -> [UInt8]
  ) {
    self.store = store
    self.keys = keys
    self.models = models
    self.policies = policies
    self.verificationMethods = verificationMethods
    self.shapes = shapes
    self.passkeyShapes = passkeyShapes
    self.departed = departed
    self.unknown = unknown
    self.auditStanding = auditStanding
    self.machinePolicies = machinePolicies
    self.identity = identity
    self.now = now
    self.random = random
  }

  /// Which passkeys can be used now.
  package var passkeyReach: PasskeyReach {
    PasskeyReach(publicURL: try? identity().publicURL, policies: try? policies())
  }

  /// The machine that a header proves; nil if it has left or was revoked, and if the header proves nothing or cannot be
  /// checked.
  ///
  /// - Parameter header: as it was received; nil for none.
  package func machine(proving header: String?) -> KnownMachine? {
    guard let machine = try? MachineProofs(keys: keys).machine(proving: header, now: now()),
      !machine.isJoined || !departed.contains(machine.machineID)
    else { return nil }
    return machine
  }
}

/// The server's identity as its clients see it: the values that a final challenge must contain.
package struct ServerIdentity: Sendable {
  /// A certificate that clients may see.
  private struct Endpoint: Sendable {
    /// Base64url of the DER.
    let certificate: String
    /// Base64url of its `serverEndPoint` hash.
    let hash: String
  }

  /// The base URL that clients use, without a slash at the end.
  package let publicURL: String
  /// The applications that may use the AppID.
  package let trustedFacets: TrustedFacetList
  /// The requirements for channel bindings.
  let channelBinding: ChannelBindingPolicy
  private var endpoints: [Endpoint]

  /// The AppID: where the trusted facets are listed.
  package var appID: String { Self.appID(of: publicURL) }

  /// The AppID of the server with a base URL.
  package static func appID(of publicURL: String) -> String { "\(publicURL)/uaf/facets" }

  /// Makes the identity of a server.
  ///
  /// - Parameter certificates: those that clients may see, DER; not used if `channelBinding` is off.
  /// - Throws: ``CryptoError`` for a certificate whose signature algorithm has no hash for `tls-server-end-point`.
  package init(
    publicURL: String, facets: [String], certificates: [[UInt8]], channelBinding: ChannelBindingPolicy = .check
  ) throws(CryptoError) {
    self.publicURL = publicURL
    self.channelBinding = channelBinding
    trustedFacets = TrustedFacetList(
      trustedFacets: UPV.supported.map { TrustedFacetList.TrustedFacets(version: $0, ids: facets) })
    endpoints = channelBinding == .off ? [] : try Self.endpoints(certificates)
  }

  /// The same server with new certificates.
  ///
  /// - Throws: ``CryptoError``, like a new identity.
  package func renewed(_ certificates: [[UInt8]]) throws(CryptoError) -> ServerIdentity {
    var identity = self
    identity.endpoints = channelBinding == .off ? [] : try Self.endpoints(certificates)
    return identity
  }

  private static func endpoints(_ certificates: [[UInt8]]) throws(CryptoError) -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for certificate in certificates {
      let hash = try X509.serverEndPoint(der: certificate)
      endpoints.append(Endpoint(certificate: Base64URL.encode(certificate), hash: Base64URL.encode(hash)))
    }
    return endpoints
  }

  /// Whether a binding names one of the server's certificates.
  ///
  /// If it contains both the hash and the certificate, both must be right.
  ///
  /// `tlsUnique` and `cid_pubkey` are not compared, because the TLS library does not give their values.
  func accepts(_ binding: ChannelBinding) -> Bool {
    guard channelBinding != .off else { return true }
    guard binding.serverEndPoint != nil || binding.tlsServerCertificate != nil else { return channelBinding == .check }
    return endpoints.contains { endpoint in
      binding.serverEndPoint?.isIdentical(to: endpoint.hash) ?? true
        && binding.tlsServerCertificate?.isIdentical(to: endpoint.certificate) ?? true
    }
  }

  /// The application of this project's PAM module.
  package static let pamModuleFacet = "linux:pam-module:pam_uaf"
}

/// A server's requirement for the channel binding in a final challenge.
package enum ChannelBindingPolicy: String, CaseIterable, Sendable {
  /// A client must name the server's certificate.
  case require
  /// A client need not name a certificate; if it does, it must be the server's.
  case check
  /// The certificate that the client names is ignored: for a server behind a proxy that ends TLS with a certificate that the
  /// server does not know.
  case off
}

/// Whether clients are asked how they verified the person (extension `fido.uaf.uvm`).
///
/// If an assertion says how the person was verified, that is compared with the model's metadata, whether the server asked or
/// not.
package enum VerificationMethodPolicy: String, CaseIterable, Sendable {
  case off
  /// Clients are asked; one that does not know the extension may ignore it.
  case ask
  /// Clients are asked; an assertion that does not say it is refused.
  case require

  /// The extensions in a request's header.
  var extensions: [Extension] {
    guard self != .off else { return [] }
    return [Extension(id: UserVerificationMethodEntry.extensionID, data: "", failIfUnknown: self == .require)]
  }
}
