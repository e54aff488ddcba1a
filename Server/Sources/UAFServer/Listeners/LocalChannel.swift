import Glibc
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import UAFAdministration
import UAFService

/// Connections on the Unix socket for administration.
///
/// The kernel reports the user of each.
///
/// Root and the server's own user could change the store directly, so they count as administrators. Connections of all other
/// users are closed; normally the socket's mode prevents them.
struct LocalChannel: ServerChildChannel {
  let responder: APIResponder
  let limits: @Sendable (any EventLoop) -> [any ExchangeObserver]

  /// The kernel's struct ucred (process, user, group: 32 bits each), which Glibc's module leaves out.
  private struct Peer: Sendable {
    let process: Int32
    let user: UInt32
    let group: UInt32
  }

  /// The connection belongs to a user other than root and the server's user, or the kernel does not report its user.
  struct Stranger: Error {}

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<ExchangeChannel.Value> {
    guard let socket = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(Stranger())
    }
    let peer: EventLoopFuture<Peer> = socket.unsafeGetSocketOption(
      level: SocketOptionLevel(SOL_SOCKET), name: SocketOptionName(SO_PEERCRED))
    return peer.flatMapThrowing { peer in
      try Self.caller(uid: peer.user, process: peer.process)
    }.flatMap { [responder, limits] caller in
      ExchangeChannel(
        responder: { request in
          // This does not run on the event loop, which also serves logins.
          await withTaskExecutorPreference(globalConcurrentExecutor) {
            await responder.response(to: request, of: caller)
          }
        }, limits: limits
      )
      .setup(channel: channel, logger: logger)
    }
  }

  func handle(value: ExchangeChannel.Value, logger: Logger) async {
    // A connection that failed is closed, too.
    try? await value.channel.closeFuture.get()
  }

  /// The caller behind a connection.
  ///
  /// - Throws: ``Stranger``.
  static func caller(uid: UInt32, process: Int32, own: UInt32 = geteuid()) throws(Stranger) -> Caller {
    guard uid == 0 || uid == own else { throw Stranger() }
    let actor = AuditActor.commandLine(uid: uid, login: LoginUser.id(of: String(process)))
    return Caller(actor: actor, role: .administrator, address: "")
  }
}

/// Adds TLS to connections, with the certificate that is current when a connection begins.
///
/// Hummingbird's own TLS channel uses one certificate for as long as it listens.
struct ServedTLSChannel<Base: ServerChildChannel>: ServerChildChannel {
  typealias Value = Base.Value

  let base: Base
  let certificates: ServedCertificates

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      guard let tls = certificates.tls else { throw ServerError.notListening }
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
