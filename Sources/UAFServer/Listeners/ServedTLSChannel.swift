import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// TLS with the certificate of the moment: a connection keeps the one that it began with.
///
/// Hummingbird's own channel has one certificate for as long as it listens.
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
