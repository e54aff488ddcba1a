import Logging
import NIOCore
import NIOTLS
import Synchronization

/// The open connections, by the addresses that they come from.
///
/// If there are too many, a new connection is accepted all the same, and an existing one is closed. Refusing the new one would
/// look to the client as if the server were down, because TLS has not begun. Of the address's connections at the most frequent
/// stage, the one with the longest time without progress is closed. So a crowd of silent connections displaces only its own
/// members.
final class Connections: Sendable {
  /// The default for the most simultaneous connections of one address: half of all that are served.
  static let standardMaximum = 512
  /// The most connections that are served at the same time.
  static let maximumOfAll = 1024
  /// An address with at most this fraction of all connections (one in 64) counts as one with few connections.
  private static let shares = 64

  /// The key of one connection in the table.
  struct Place: Hashable, Sendable {
    let name: String
    let number: UInt64
  }

  /// A connection that must be closed to make room for a new one.
  struct Displaced: Sendable {
    let name: String
    let close: @Sendable () -> Void
  }

  /// How far a connection has come.
  enum Stage: Int, CaseIterable, Sendable {
    /// No bytes have arrived.
    case silent
    case handshake
    /// A request may arrive, or is arriving.
    case open
    /// Between the end of a request and the end of its answer: the client waits for the server.
    case answering
  }

  private struct Entry {
    /// A number that grows with each step of any connection.
    ///
    /// The entry with the lowest number has been without progress for the longest time.
    var since: UInt64
    var stage = Stage.silent
    let close: @Sendable () -> Void
  }

  private struct Table {
    var entries: [String: [UInt64: Entry]] = [:]
    var count = 0
    var steps: UInt64 = 0

    mutating func step() -> UInt64 {
      steps &+= 1
      return steps
    }

    mutating func remove(_ place: Place) -> Entry? {
      guard let entry = entries[place.name]?.removeValue(forKey: place.number) else { return nil }
      if entries[place.name]?.isEmpty == true { entries[place.name] = nil }
      count -= 1
      return entry
    }

    /// The address with the most connections, or all addresses if even that one has few.
    ///
    /// If no address has many, then the address says little: an attacker can use many addresses, and an honest machine may have
    /// two logins at the same time.
    func crowded(few: Int) -> [String] {
      guard let most = entries.max(by: { $0.value.count < $1.value.count }) else { return [] }
      return most.value.count > few ? [most.key] : Array(entries.keys)
    }

    /// Removes one connection of some addresses: of those at the most frequent stage, the one with the longest time without
    /// progress.
    ///
    /// A connection whose request is being answered is removed only if there are no others.
    mutating func displace(from names: [String]) -> Displaced? {
      var counts = Stage.allCases.map { _ in 0 }
      // For each stage the connection with the lowest number.
      var quietest: [Stage: (since: UInt64, place: Place)] = [:]
      for name in names {
        for (number, entry) in entries[name] ?? [:] {
          counts[entry.stage.rawValue] += 1
          if let found = quietest[entry.stage], found.since < entry.since { continue }
          quietest[entry.stage] = (entry.since, Place(name: name, number: number))
        }
      }
      let waiting = Stage.allCases.filter { $0 != .answering && counts[$0.rawValue] > 0 }
      let stage = waiting.max { counts[$0.rawValue] < counts[$1.rawValue] } ?? .answering
      guard let place = quietest[stage]?.place, let entry = remove(place) else { return nil }
      return Displaced(name: place.name, close: entry.close)
    }
  }

  private let maximum: Int
  private let maximumOfAll: Int
  private let table = Mutex(Table())

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - maximum: connections of one address; 0 means no such limit.
  ///   - maximumOfAll: connections of all addresses together.
  init(maximum: Int = standardMaximum, maximumOfAll: Int = maximumOfAll) {
    self.maximum = maximum
    self.maximumOfAll = maximumOfAll
  }

  /// Adds a connection.
  ///
  /// - Parameters:
  ///   - name: what ``Admission/name(of:)`` returns; nil for a Unix socket, for which only the limit of all connections
  ///     applies.
  ///   - close: closes the connection immediately; it is called from any thread if the connection must make room.
  /// - Returns: the key of the new connection, and the connections to close for it: one of its own address if that has reached
  ///   its limit, and one of the address with the most connections if the table is full.
  func open(_ name: String?, close: @escaping @Sendable () -> Void) -> (place: Place, displaced: [Displaced]) {
    table.withLock { table in
      let own = name ?? ""
      var displaced: [Displaced?] = []
      if name != nil, maximum > 0, table.entries[own]?.count ?? 0 >= maximum {
        displaced.append(table.displace(from: [own]))
      }
      if table.count >= maximumOfAll {
        displaced.append(table.displace(from: table.crowded(few: maximumOfAll / Self.shares)))
      }
      let number = table.step()
      table.entries[own, default: [:]][number] = Entry(since: number, close: close)
      table.count += 1
      return (Place(name: own, number: number), displaced.compactMap { $0 })
    }
  }

  /// Records that a connection has reached a stage.
  func step(_ place: Place, to stage: Stage) {
    table.withLock { table in
      guard var entry = table.entries[place.name]?[place.number] else { return }
      entry.since = table.step()
      entry.stage = stage
      table.entries[place.name]?[place.number] = entry
    }
  }

  /// Removes a connection that has ended; does nothing if it was displaced before.
  func close(_ place: Place) {
    table.withLock { table in _ = table.remove(place) }
  }

  /// The number of connections, and the number of addresses that they come from.
  var size: (connections: Int, addresses: Int) { table.withLock { ($0.count, $0.entries.count) } }
}

/// Adds a connection to the table of ``Connections``, reports its progress there, and closes it if its TLS handshake is too
/// slow.
final class ConnectionPlace: ChannelInboundHandler, ExchangeObserver, RemovableChannelHandler {
  typealias InboundIn = Never

  /// How long a handshake may take, in which the client sends two messages.
  static let standardHandshake = TimeAmount.seconds(10)

  private let connections: Connections
  private let proxies: TrustedProxies
  private let notices: RateLimiter
  private let logger: Logger
  private let handshake: TimeAmount?
  private var place: Connections.Place?
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  ///
  /// - Parameters:
  ///   - connections: the table, shared by all connections of the server.
  ///   - proxies: the trusted proxies; their connections carry the requests of many people, so they are not limited by address.
  ///   - handshake: how long the TLS handshake may take; nil without TLS.
  ///   - notices: limits how often closed connections are logged; shared by all connections, too.
  init(
    _ connections: Connections, proxies: TrustedProxies = TrustedProxies(), notices: RateLimiter, logger: Logger,
    handshake: TimeAmount? = standardHandshake
  ) {
    self.connections = connections
    self.proxies = proxies
    self.notices = notices
    self.logger = logger
    self.handshake = handshake
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The connection is closed without TLS's closing message (close_notify): waiting for the client's would take some seconds.
    let end = ConnectionEnd { self.step(to: self.handshake == nil ? .open : .handshake) }
    try? context.pipeline.syncOperations.addHandler(end, name: ConnectionEnd.name, position: .first)
    if context.channel.isActive { enter(context) }
  }

  func channelActive(context: ChannelHandlerContext) {
    enter(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    if let place { connections.close(place) }
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted = event as? TLSUserEvent {
      timer?.cancel()
      step(to: .open)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func reached(_ stage: ExchangeStage) {
    switch stage {
    case .answering: step(to: .answering)
    case .answered: step(to: .open)
    case .reading, .taken: break
    }
  }

  private func step(to stage: Connections.Stage) {
    if let place { connections.step(place, to: stage) }
  }

  private func enter(_ context: ChannelHandlerContext) {
    guard place == nil else { return }
    let channel = context.channel
    let address = proxies.contains(channel.remoteAddress) ? nil : channel.remoteAddress
    let (place, displaced) = connections.open(address.flatMap(Admission.name)) {
      ConnectionEnd.close(channel)
    }
    self.place = place
    timer = handshake.map { time in
      context.eventLoop.assumeIsolated().scheduleTask(in: time) { ConnectionEnd.close(channel) }
    }
    for each in displaced {
      each.close()
      // Logged once a minute for each address: a crowd must not fill the log.
      if notices.admits(each.name, now: Terminal.now) {
        logger.notice("limited", metadata: ["by": "connections", "name": "\(each.name.isEmpty ? "-" : each.name)"])
      }
    }
  }
}

/// The first handler of a connection's pipeline: it notices the first bytes, and can close the connection without TLS's closing
/// message.
final class ConnectionEnd: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  static let name = "connection-end"

  private var begins: (() -> Void)?

  /// Makes the handler of one connection.
  ///
  /// - Parameter begins: called once, when the first bytes arrive.
  init(begins: @escaping () -> Void) {
    self.begins = begins
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    begins?()
    begins = nil
    context.fireChannelRead(data)
  }

  func channelInactive(context: ChannelHandlerContext) {
    begins = nil
    context.fireChannelInactive()
  }

  /// Closes a connection, from any thread.
  static func close(_ channel: any Channel) {
    channel.eventLoop.execute {
      if let context = try? channel.pipeline.syncOperations.context(name: name) {
        context.close(promise: nil)
      } else {
        channel.close(promise: nil)
      }
    }
  }
}

/// Closes a connection if an exchange of request and answer takes too long, or if nothing arrives.
///
/// The time of an exchange runs from the start of the connection, or from the last answer, to the end of the next answer. With
/// only an idle limit, a client that sends its body byte by byte could keep a connection forever.
final class ExchangeDeadline: ChannelInboundHandler, ExchangeObserver, RemovableChannelHandler {
  typealias InboundIn = Never

  /// The most time for an exchange: the idle time, and as much again for the request and its answer.
  static let standard = TimeAmount.seconds(60)
  /// How long a connection stays open without a byte of a request.
  static let standardIdle = TimeAmount.seconds(30)

  private let limit: TimeAmount
  private let idleLimit: TimeAmount
  private let loop: any EventLoop
  /// The time by which the next answer must be complete.
  private var deadline = NIODeadline.distantFuture
  /// The time by which something must arrive; in the distant future while the client waits for the server.
  private var idleDeadline = NIODeadline.distantFuture
  private var timer: Scheduled<Void>?

  /// Makes the handler of one connection.
  init(_ limit: TimeAmount = standard, idle: TimeAmount = standardIdle, on loop: any EventLoop) {
    self.limit = limit
    idleLimit = idle
    self.loop = loop
  }

  func handlerAdded(context: ChannelHandlerContext) {
    reached(.taken)
    wait(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    timer?.cancel()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func reached(_ stage: ExchangeStage) {
    switch stage {
    case .reading: idleDeadline = loop.now + idleLimit
    case .answering: idleDeadline = .distantFuture
    case .answered: idleDeadline = loop.now + idleLimit
    case .taken:
      deadline = loop.now + limit
      idleDeadline = loop.now + idleLimit
    }
  }

  /// Closes the connection at the first deadline.
  ///
  /// If the timer fires too early, because a deadline has moved, it is set again. So a timer is started once in each limit's
  /// time, and not for each answer.
  private func wait(_ context: ChannelHandlerContext) {
    // A deadline may also move to an earlier time, so the timer fires after the idle time at the latest.
    let next = min(deadline, idleDeadline, loop.now + idleLimit)
    timer = loop.assumeIsolated().scheduleTask(deadline: next) { [self] in
      if loop.now >= min(deadline, idleDeadline) { context.close(promise: nil) } else { wait(context) }
    }
  }
}
