import AuthenticatorTypes
import Authenticator
import FidoResults
import Glibc
import UAFClient
import UAFWire

/// uaf-helper: serves one conversation on descriptor 3 and ends.
enum HelperProgram {
  /// Serves the conversation.
  ///
  /// The exit status is not used by anybody.
  static func run(_ arguments: [String]) -> CInt {
    switch HelperRole(Array(arguments.dropFirst())) {
    case .version:
      print("uaf-helper \(HelperVersion.current)")
      // This flushes the standard output, because the program skips the libraries' exit handlers.
      _ = fflush(nil)
      return 0
    case .listener: return listen()
    case .readyCore: return serveLater()
    case .core(let isAwaited): return serveNow(isAwaited: isAwaited)
    case nil: return usage()
    }
  }

  private static func serveNow(isAwaited: Bool) -> CInt {
    HelperProcess.openStandardDescriptors()
    let socket: PacketSocket
    do throws(PacketSocketError) { socket = try PacketSocket(takingOver: SocketProgram.socket) } catch {
      return usage()
    }
    let log = SystemLog()
    guard geteuid() == 0 else {
      log.write(.start, "not started as root", .error)
      return notPermitted
    }
    return serve(socket, isAwaited: isAwaited, Groundwork(), log)
  }

  /// Waits until the listener passes the connection of a call, and serves it.
  private static func serveLater() -> CInt {
    HelperProcess.openStandardDescriptors()
    guard geteuid() == 0 else { return notPermitted }
    guard let listener = try? PacketSocket(takingOver: SocketProgram.socket) else { return usage() }
    let groundwork = Groundwork()
    guard groundwork.awaitCall(on: listener), let connection = PassedDescriptor.receive(over: SocketProgram.socket),
      let socket = try? PacketSocket(takingOver: connection)
    else { return 0 }
    // The log is opened only now. If it had been opened earlier and the log daemon restarted since, the process could not
    // connect again from its sandbox.
    return serve(socket, isAwaited: false, groundwork, SystemLog())
  }

  /// Accepts the connections to systemd's socket.
  private static func listen() -> CInt {
    HelperProcess.openStandardDescriptors()
    let log = SystemLog()
    var (listens, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
    // SAFETY: `listens` is as large as `length` says.
    let isSocket = unsafe getsockopt(SocketProgram.socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0
    guard isSocket, listens != 0, let path = ProgramPath.own() else { return usage() }
    guard geteuid() == 0 else {
      log.write(.start, "not started as root", .error)
      return notPermitted
    }
    guard var listener = try? Listener(on: SocketProgram.socket, starting: path, log: log) else { return protocolError }
    return listener.run()
  }

  private static func usage() -> CInt {
    SocketProgram.say(
      "uaf-helper is started by pam_uaf.so, by uafctl or by systemd, with its socket as descriptor 3.\n")
    return usageError
  }

  private static func serve(
    _ socket: consuming PacketSocket, isAwaited: Bool, _ groundwork: Groundwork, _ log: SystemLog
  ) -> CInt {
    do {
      let frontEnd = try FrontEnd(socket)
      if !frontEnd.isLocked { log.write(.memory, memoryNotice, .warning) }
      let place = ConversationPlace(try frontEnd.peerUserID(), log)
      defer { withExtendedLifetime(place) {} }
      if let refusal = place.refusal {
        try frontEnd.turnAway(refusal)
        return 0
      }
      guard let begin = try begin(frontEnd) else { return 0 }
      // The limit is checked before the configuration, the state and uaf-fetch take memory.
      let calledBy = try frontEnd.peerUserID() == 0 ? begin.callerUID : nil
      let callersPlace = ConversationPlace(calledBy, by: .caller, log, locale: begin.localeText)
      defer { withExtendedLifetime(callersPlace) {} }
      if let refusal = callersPlace.refusal {
        try refuse(begin, frontEnd, refusal)
        return 0
      }
      let ending = converse(begin, frontEnd, isAwaited: isAwaited, groundwork, log)
      guard let ending else { return 0 }
      try refuse(begin, frontEnd, finished(ending, of: begin))
    } catch {
      log.write(.conversation, "\(error)", .warning)
      return protocolError
    }
    return 0
  }

  /// The last message of a conversation that has no session, in the language of the person's locale, or else in English.
  static func finished(_ ending: Ending, of begin: Begin) -> Finished {
    let language = Language.matching(begin.localeText, default: .english)
    let text = ending.told(in: language, toTool: begin.service == Array(CallerIdentity.toolService.utf8))
    return PAMExit.finished(ending, text: text)
  }

  /// Ends a conversation after its *begin*, without a session.
  ///
  /// A PAM host does not show the text of *finished*, so it gets the text as an error message too.
  private static func refuse(_ begin: Begin, _ frontEnd: FrontEnd, _ finished: Finished) throws(Ending) {
    if begin.service != Array(CallerIdentity.toolService.utf8) { try frontEnd.send(.error(finished.text ?? "")) }
    try frontEnd.send(.finished(finished))
  }

  /// The text for the log if memory could not be locked.
  ///
  /// The login continues anyway.
  static let memoryNotice =
    "entries may be swapped out: raise RLIMIT_MEMLOCK, leave the helper CAP_IPC_LOCK, or encrypt the swap"

  /// Reads *begin*; nil if the front end sent nothing, or *resume* instead of *begin*.
  private static func begin(_ frontEnd: FrontEnd) throws -> Begin? {
    do throws(PacketSocketError) { return try frontEnd.receiveBegin() } catch {
      // This is not logged: anybody could fill the log with connections that send nothing.
      if error == .closed { return nil }
      guard error == .malformed(.unexpectedType(.resume)) else { throw error }
      let ending = Ending(.requestNotExist, log: "resume of nothing")
      try frontEnd.finishUnopened(PAMExit.finished(ending, text: ending.result.text(in: .english)))
      return nil
    }
  }

  /// Runs the conversation.
  ///
  /// - Returns: the reason if no session could be made, so that there was no conversation; otherwise nil.
  private static func converse(
    _ begin: Begin, _ frontEnd: FrontEnd, isAwaited: Bool, _ groundwork: Groundwork, _ log: SystemLog
  ) -> Ending? {
    let session: Session
    var asking: CallerIdentity?
    do throws(Ending) {
      guard Begin.spokenVersions.contains(begin.version) else {
        throw Ending(
          .clientMismatch, because: begin.version < Begin.currentVersion ? .olderModule : .olderCore,
          log: "protocol version \(begin.version)")
      }
      try groundwork.limits.get()
      let caller = try CallerIdentity(
        begin, peer: peer(frontEnd), passwd: { PasswdFile.read() }, directory: { directoryName(of: $0, log) })
      asking = caller
      if begin.mayAskServer { groundwork.startFetch() }
      var environment = try environment(of: caller, frontEnd, log, groundwork)
      environment.isAwaited = isAwaited
      session = try Session(begin, frontEnd, caller: caller, in: environment)
    } catch {
      logRefusal(error, of: begin.operation, for: asking, log)
      return error
    }
    conclude(session, log)
    return nil
  }

  private static func directoryName(of uid: UInt32, _ log: SystemLog) -> DirectoryName {
    do throws(Ending) {
      let process = NameProcess(program: try ProgramPath.beside("uaf-name")) { missing in
        log.write(Seclusion.notice(missing, of: "uaf-name"), .warning)
      }
      return process.name(of: uid)
    } catch { return .failed(error.log) }
  }

  /// Logs why there was no session, and for which account, if that is known.
  static func logRefusal(
    _ ending: Ending, of operation: Operation, for caller: CallerIdentity?, _ log: any LogSink
  ) {
    let code = PAMExit.code(of: ending)
    CallOutcome(caller: caller, operation: operation, result: ending.result, code: code).log(ending, to: log)
  }

  private static func conclude(_ session: Session, _ log: SystemLog) {
    do throws(Ending) {
      let success: Success
      do throws(Ending) { success = try session.run() } catch {
        // Even if the front end has gone: otherwise hanging up in time would keep a lock from being reported.
        defer { session.checkIn(after: error) }
        return try session.reporter.finish(error)
      }
      try session.reporter.finish(success)
      session.reporter.noteDelivery()
      session.checkIn(after: success)
    } catch {
      session.log.write(.conversation, error.log, .warning)
    }
  }

  private static func peer(_ frontEnd: FrontEnd) throws(Ending) -> UInt32 {
    do throws(PacketSocketError) { return try frontEnd.peerUserID() } catch {
      throw Ending(.cannotUse, log: "\(error)")
    }
  }

  private static func environment(
    of caller: CallerIdentity, _ frontEnd: FrontEnd, _ log: SystemLog, _ groundwork: Groundwork
  ) throws(Ending) -> SessionEnvironment {
    let seclusion = Seclusion(on: groundwork, log: log)
    let clock = try SystemClock()
    return SessionEnvironment(
      now: { clock.now }, pause: { usleep(UInt32(clamping: $0) &* 1000) },
      derivationSlots: DerivationSlot.machineCount(), log: log, audit: groundwork.audit,
      seclude: { places, folder in seclusion.enter(asking: places, keeping: folder) },
      finger: { (paths) throws(Ending) in try seclusion.finger(reading: paths) },
      isAtSeat: SeatCheck().isAtSeat((try? frontEnd.peerProcessID()) ?? 0, terminal: caller.uncalledTerminal),
      network: { (server, authorities, waiter) throws(Ending) in
        try seclusion.network(server, authorities, waiter)
      },
      chip: { () throws(Ending) in try ChipProcess(ProgramPath.beside("uaf-chip")) },
      device: DeviceDescription.current())
  }

  private static let usageError: CInt = 64
  private static let notPermitted: CInt = 77
  private static let protocolError: CInt = 76
}

/// What a process of uaf-helper is for, by its arguments.
enum HelperRole: Equatable {
  /// It prints its version.
  case version
  /// It accepts the connections to systemd's socket.
  case listener
  /// It is a core that waits for its connection.
  case readyCore
  /// It is a core for the connection on descriptor 3.
  ///
  /// `isAwaited`: the front end has started it, and waits for its end.
  case core(isAwaited: Bool)

  /// The argument with which the listener starts a core for a connection that it has accepted.
  static let accepted = "--accepted"

  /// - Parameter arguments: the arguments after the program's own path.
  /// - Returns: nil for arguments that no program of ours gives.
  init?(_ arguments: [String]) {
    switch arguments {
    case []: self = .core(isAwaited: true)
    case [Self.accepted]: self = .core(isAwaited: false)
    case ["--version"]: self = .version
    case ["--listen"]: self = .listener
    case [ReadyCore.argument]: self = .readyCore
    default: return nil
    }
  }
}
