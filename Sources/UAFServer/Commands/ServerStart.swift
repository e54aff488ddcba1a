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
  /// The certificates that clients may see, DER.
  let certificates: [[UInt8]]
  let channelBinding: ChannelBindingPolicy
  let identity: IdentityBox
  let manager: ServiceManager
  let store: any ServerStore
  let shapes: KeyShapeKeeper
  let logger: Logger

  /// Makes the identity for the port that is now known, stores the URL for the other commands, and prints where the server
  /// listens.
  func announce(_ channel: any Channel) async {
    let local = listen.url(port: channel.localAddress?.port)
    let url = publicURL?.text ?? local
    do {
      if let path = listen.path { try ProxySocket(path: path).open() }
      let known = try ServerIdentity(
        publicURL: url, facets: facets, certificates: certificates, channelBinding: channelBinding)
      identity.set(known)
      try await store.write { try $0.settings.set(.publicURL, to: url) }
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
