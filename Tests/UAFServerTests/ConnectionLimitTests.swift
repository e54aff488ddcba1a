import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import UAFServer

/// What one connection may take of time, and one address of connections.
struct ConnectionLimitTests {
  private let log = RecordedLog()

  private func connection(_ handler: any ChannelHandler, from address: String = "192.0.2.1") throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: handler)
    try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
    return channel
  }

  private func limit(_ counts: ConnectionCounts) -> AddressLimit {
    AddressLimit(counts, logger: Logger(label: "test") { [log] _ in log })
  }

  private func answer(on channel: EmbeddedChannel) throws {
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    try channel.writeOutbound(HTTPResponsePart.end(nil))
  }

  @Test func `closes a connection whose body comes byte by byte`() throws {
    let channel = try connection(ExchangeDeadline(.seconds(60)))
    for second in 0..<60 {
      #expect(channel.isActive, "\(second)")
      try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: " ")))
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(!channel.isActive)
  }

  @Test func `gives each exchange its own time, from the end of the answer before`() throws {
    let channel = try connection(ExchangeDeadline(.seconds(60)))
    for _ in 0..<5 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(59))
      try answer(on: channel)
    }
    // The head of an answer is not its end.
    try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
    channel.embeddedEventLoop.advanceTime(by: .seconds(59))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `closes the connection of an address that has as many as it may, and says so in the log`() throws {
    let counts = ConnectionCounts(maximum: 2)
    let first = try connection(limit(counts))
    let second = try connection(limit(counts))
    let third = try connection(limit(counts))
    #expect([first, second, third].map(\.isActive) == [true, true, false])
    #expect(log.lines == ["limited by=connections name=192.0.2.1"])
    let other = try connection(limit(counts), from: "192.0.2.2")
    #expect(other.isActive)
  }

  @Test func `a connection that ends makes room for one more, a refused one for none`() throws {
    let counts = ConnectionCounts(maximum: 1)
    let first = try connection(limit(counts))
    for _ in 0..<3 {
      let refused = try connection(limit(counts))
      #expect(!refused.isActive)
    }
    try first.close().wait()
    let next = try connection(limit(counts))
    #expect(next.isActive)
    let further = try connection(limit(counts))
    #expect(!further.isActive)
    try next.close().wait()
    #expect(counts.names == 0)
  }

  @Test(arguments: [("127.0.0.1", 1), ("::1", 1), ("192.0.2.1", 0)])
  func `counts nothing for this machine, and refuses nothing without a limit`(address: String, maximum: Int) throws {
    let counts = ConnectionCounts(maximum: maximum)
    let channels = try (0..<5).map { _ in try connection(limit(counts), from: address) }
    #expect(channels.map(\.isActive) == Array(repeating: true, count: 5))
  }
}
