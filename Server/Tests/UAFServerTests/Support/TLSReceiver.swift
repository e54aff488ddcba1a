import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SecretMemory
import Synchronization
import UAFCrypto

@testable import ServerTesting

/// A TLS server on 127.0.0.1 that keeps what it reads, and responds if that looks like an HTTP request.
final class TLSReceiver: Sendable {
  /// Reads, and responds once a request is complete.
  private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String?
    private let received: Received
    private var text = ""

    init(_ received: Received, answer: String?) {
      self.received = received
      self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let part = String(buffer: unwrapInboundIn(data))
      received.text.withLock { $0 += part }
      text += part
      guard let answer, let head = text.range(of: "\r\n\r\n"), text[head.upperBound...].hasSuffix("\n") else { return }
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }

  private final class Received: Sendable {
    let text = Mutex("")
  }

  /// The path of the CA's certificate.
  let authorityPath: String
  let port: Int
  private let received = Received()
  private let channel: any Channel
  private let folder: TemporaryFolder

  /// Starts to listen with a certificate for these names and addresses.
  init(names: [String], addresses: [String] = [], answer: String? = nil) async throws {
    folder = try TemporaryFolder()
    let now = Int64(Date().timeIntervalSince1970)
    let made = try DevelopmentCertificate.make(
      commonName: "receiver", dnsNames: names, ipAddresses: addresses, notBefore: now - 3600, notAfter: now + 86_400)
    authorityPath = folder.path("ca.pem")
    try Data(made.authorityPEM).write(to: URL(filePath: authorityPath))
    let key = try made.privateKeyPEM.withBytes { bytes in
      try NIOSSLPrivateKey(bytes: (0..<bytes.count).map { bytes[$0] }, format: .pem)
    }
    let chain = try NIOSSLCertificate.fromPEMBytes(made.certificatePEM)
    let context = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [received] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            NIOSSLServerHandler(context: context), Reader(received, answer: answer),
          ])
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  /// What the server has read.
  var text: String { received.text.withLock { $0 } }

  func stop() async throws { try await channel.close() }
}
