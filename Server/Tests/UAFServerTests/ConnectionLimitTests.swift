import Logging
import NIOCore
import NIOEmbedded
import NIOTLS
import Synchronization
import Testing

@testable import UAFServer
@testable import UAFService

/// How much time one connection may use, and how many connections one address may have.
struct ConnectionLimitTests {
  private let log = RecordedLog()
  private let notices = RateLimiter(.init(perMinute: 1))

  private func connection(_ handler: any ChannelHandler, from address: String = "192.0.2.1") throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: handler)
    try channel.connect(to: SocketAddress(ipAddress: address, port: 1)).wait()
    return channel
  }

  /// A connection that is counted in a table, before or after its handshake.
  private func connection(
    in table: Connections, from address: String = "192.0.2.1", isSecure: Bool = true
  ) throws -> EmbeddedChannel {
    let place = ConnectionPlace(table, notices: notices, logger: Logger(label: "test") { [log] _ in log })
    let channel = try connection(place, from: address)
    if isSecure { secure(channel) }
    return channel
  }

  private func secure(_ channel: EmbeddedChannel) {
    channel.pipeline.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  /// Whether each channel is open, after all closures that were requested have taken effect.
  private func areOpen(_ channels: [EmbeddedChannel]) -> [Bool] {
    for channel in channels { channel.embeddedEventLoop.run() }
    return channels.map(\.isActive)
  }

  /// Tells the only handler of a connection which stage its exchange has reached.
  private func reach(_ stages: ExchangeStage..., on channel: EmbeddedChannel) throws {
    let handlers = channel.pipeline.syncOperations
    let observer: any ExchangeObserver =
      if let place = try? handlers.handler(type: ConnectionPlace.self) { place } else {
        try handlers.handler(type: ExchangeDeadline.self)
      }
    for stage in stages { observer.reached(stage) }
  }

  /// A connection that has sixty seconds for an exchange, and thirty seconds between two bytes.
  private func timedConnection() throws -> EmbeddedChannel {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(
      handler: ExchangeDeadline(.seconds(60), idle: .seconds(30), on: loop), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
    return channel
  }

  @Test func `the server closes a connection whose body comes so slowly that the exchange takes too long`() throws {
    let channel = try timedConnection()
    for second in 0..<60 {
      #expect(channel.isActive, "\(second)")
      try reach(.reading, on: channel)
      channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    }
    #expect(!channel.isActive)
  }

  @Test func `the server closes a connection on which nothing arrives for half a minute`() throws {
    let channel = try timedConnection()
    for _ in 0..<2 {
      channel.embeddedEventLoop.advanceTime(by: .seconds(29))
      try reach(.reading, .answering, .answered, .taken, on: channel)
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(29))
    #expect(channel.isActive)
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func `each exchange on a connection has its own time, from the end of the previous response`() throws {
    let channel = try timedConnection()
    for _ in 0..<5 {
      try reach(.reading, .answering, on: channel)
      channel.embeddedEventLoop.advanceTime(by: .seconds(59))
      #expect(channel.isActive, "the client waits for the server, and has nothing to send")
      try reach(.answered, .taken, on: channel)
    }
    // A response that was written has not necessarily been read by the client.
    try reach(.reading, .answering, .answered, on: channel)
    for _ in 0..<2 {
      channel.embeddedEventLoop.advanceTime(by: .milliseconds(29_500))
      #expect(channel.isActive)
      try reach(.reading, on: channel)
    }
    channel.embeddedEventLoop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test
  func `beyond an address's limit a new connection is accepted, and the one longest without progress is closed`()
    throws
  {
    let table = Connections(maximum: 2)
    let other = try connection(in: table, from: "192.0.2.2")
    let channels = try (0..<4).map { _ in try connection(in: table) }
    #expect(areOpen(channels) == [false, false, true, true])
    #expect(areOpen([other]) == [true])
    #expect(table.size == (3, 2))
  }

  @Test(arguments: [false, true]) func `many silent or idle connections from one address keep nobody out`(
    isSecure: Bool
  ) throws {
    let table = Connections(maximum: 8)
    for _ in 0..<20 {
      let crowd = try (0..<16).map { _ in try connection(in: table, isSecure: isSecure) }
      let person = try connection(in: table, isSecure: false)
      // A few more arrive during the person's handshake, fewer than the table has room for.
      let late = try (0..<6).map { _ in try connection(in: table, isSecure: isSecure) }
      secure(person)
      #expect(areOpen([person]) == [true])
      #expect(areOpen(crowd + late).count { $0 } == 7)
      try person.close().wait()
    }
  }

  @Test func `a connection with progress is never closed to make room for connections without progress`() throws {
    let table = Connections(maximum: 8)
    _ = try (0..<8).map { _ in try connection(in: table, isSecure: false) }
    let person = try connection(in: table)
    let isClosed = Flag()
    let (shaking, _) = table.open("192.0.2.1") { isClosed.value.withLock { $0 = true } }
    table.step(shaking, to: .handshake)
    for _ in 0..<100 { _ = try connection(in: table, isSecure: false) }
    #expect(areOpen([person]) == [true])
    #expect(!isClosed.value.withLock { $0 })
  }

  @Test
  func `to make room, the connection with the oldest progress is closed first, one awaiting its response last`() throws
  {
    let table = Connections(maximum: 3)
    let channels = try (0..<3).map { _ in try connection(in: table) }
    // The first connection waits for its response, and the second has got one.
    try reach(.answering, on: channels[0])
    try reach(.answering, .answered, on: channels[1])
    var more = [try connection(in: table)]
    #expect(areOpen(channels) == [true, true, false])
    more.append(try connection(in: table))
    #expect(areOpen(channels) == [true, false, false])
    more.append(try connection(in: table))
    #expect(areOpen(channels + more) == [true, false, false, false, true, true])
    #expect(table.size == (3, 1))
  }

  @Test func `if the server has no room for a further connection, the address with the most connections loses one`()
    throws
  {
    let table = Connections(maximum: 0, maximumOfAll: 6)
    let few = try (0..<2).map { _ in try connection(in: table, from: "192.0.2.2") }
    let crowd = try (0..<4).map { _ in try connection(in: table, from: "192.0.2.9") }
    let own = try connection(in: table, from: "127.0.0.1")
    #expect(areOpen(few + [own]) == [true, true, true])
    #expect(areOpen(crowd) == [false, true, true, true])
  }

  @Test func `silent connections from many addresses displace each other, and not a machine with several logins`()
    throws
  {
    let table = Connections(maximumOfAll: 128)
    let logins = try (0..<2).map { _ in try connection(in: table, from: "192.0.2.2", isSecure: false) }
    for network in 100..<105 {
      for host in 1..<60 { _ = try connection(in: table, from: "198.51.\(network).\(host)", isSecure: false) }
      if network == 100 { logins.forEach(secure) }
    }
    #expect(areOpen(logins) == [true, true])
    #expect(table.size.connections == 128)
  }

  @Test func `the server logs connections that it closed to make room once a minute for each address`() throws {
    let table = Connections(maximum: 1)
    for _ in 0..<50 { _ = try connection(in: table) }
    #expect(log.lines == ["limited by=connections name=192.0.2.1", "limited by=connections name=192.0.2.1"])
  }

  @Test func `the server closes a connection whose handshake does not end in time, and no other connection`() throws {
    let table = Connections()
    let (half, whole) = (try connection(in: table, isSecure: false), try connection(in: table))
    for channel in [half, whole] { channel.embeddedEventLoop.advanceTime(by: ConnectionPlace.standardHandshake) }
    #expect(areOpen([half, whole]) == [false, true])
    #expect(table.size == (1, 1))
  }

  @Test func `a connection that was closed is no longer counted, and is subtracted only once`() throws {
    let table = Connections(maximum: 2)
    let channels = try (0..<3).map { _ in try connection(in: table) }
    _ = areOpen(channels)
    #expect(table.size == (2, 1))
    for channel in channels where channel.isActive { try channel.close().wait() }
    #expect(table.size == (0, 0))
  }

  @Test func `the server has no limit of connections if the administrator wants none`() throws {
    let table = Connections(maximum: 0)
    let channels = try (0..<5).map { _ in try connection(in: table) }
    #expect(areOpen(channels) == Array(repeating: true, count: 5))
  }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1"])
  func `silent connections from any loopback address displace each other, and not a login from one`(address: String)
    throws
  {
    let table = Connections(maximum: 8)
    let login = try connection(in: table, from: "127.0.0.1", isSecure: false)
    let silent = try (0..<4).map { _ in try connection(in: table, from: address, isSecure: false) }
    secure(login)
    for _ in 0..<20 { _ = try connection(in: table, from: address, isSecure: false) }
    #expect(areOpen([login]) == [true])
    #expect(areOpen(silent) == Array(repeating: false, count: 4))
    #expect(table.size == (8, 1))
  }
}
