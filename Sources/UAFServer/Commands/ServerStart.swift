import Glibc
import Logging
import NIOCore
import UAFService

/// What the server does as soon as it listens.
struct ServerStart: Sendable {
  let listen: ListenAddress
  /// The base URL that clients use; nil if it is where the server listens.
  let publicURL: PublicURL?
  let facets: [String]
  /// The certificates that clients may see, DER, as they are now.
  let certificates: @Sendable () -> [[UInt8]]
  let channelBinding: ChannelBindingPolicy
  let identity: IdentityBox
  let manager: ServiceManager
  let store: any ServerStore
  let shapes: KeyShapeKeeper
  let logger: Logger

  /// Makes the identity before the server listens, unless the system chooses the port that clients have to use.
  ///
  /// A client may connect as soon as the system listens, and that is before ``announce(_:)`` is called.
  ///
  /// - Throws: what an identity cannot be made of.
  func prepare() throws {
    if publicURL == nil, case .network(_, 0) = listen { return }
    identity.set(try known(at: listen.url(port: nil)))
  }

  private func known(at local: String) throws -> ServerIdentity {
    try ServerIdentity(
      publicURL: publicURL?.text ?? local, facets: facets, certificates: certificates(), channelBinding: channelBinding)
  }

  /// Makes the identity for the port that is now known, stores the URL for the other commands, and prints where the server
  /// listens.
  func announce(_ channel: any Channel) async {
    let local = listen.url(port: channel.localAddress?.port)
    do {
      if let path = listen.path { try ProxySocket(path: path).open() }
      let known = try known(at: local)
      identity.set(known)
      try await store.write { [url = publicURL?.text ?? local] records in
        try records.settings.set(.publicURL, to: url)
        try records.accounts.spreadBlocks()
      }
      shapes.keep(upWith: store, appID: known.appID) { error in
        logger.error("failed", metadata: ["error": "\(type(of: error))"])
      }
      Terminal.result("listening on \(local)")
      manager.ready()
      // A program that waits for the line would wait for ever, so the server ends as by a signal, and says why.
      if Terminal.failure != nil { kill(getpid(), SIGTERM) }
    } catch {
      let reason = (error as? ServerError)?.description ?? "\(type(of: error))"
      logger.critical("failed", metadata: ["error": "\(reason)"])
    }
  }
}
