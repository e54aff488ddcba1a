import CShim
import FidoResults
import Glibc
import SecretMemory
import UAFConfiguration
import UAFWire

@testable import UAFHelper

/// One conversation with the whole core: a front end and a server that do what the input says.
struct CoreRun {
  private let script: CoreScript
  private let server: CoreServer

  /// The world, after its account was given a passcode.
  private static let world: CoreWorld = {
    let fresh = CoreWorld.shared
    let registration = CoreRun(Array("b\u{8}\u{2}\u{60}uafctl?\u{7}correct?\u{7}correct".utf8))
    precondition(registration.converse(in: fresh).last.map(isSuccess) ?? false, "the account could not be made")
    return fresh.keepingAccount()
  }()

  init(_ bytes: [UInt8]) {
    script = CoreScript(bytes)
    server = CoreServer(script.answers)
  }

  /// Ends the process if the core said what it must not say.
  func run() {
    let world = Self.world
    world.putBack()
    let messages = converse(in: world)
    let endings = messages.filter { $0.type == .finished }
    precondition(endings.count <= 1 && (endings.isEmpty || messages.last?.type == .finished), "more than one end")
    guard case .finished(let finished)? = messages.last, let begin = try? begin() else { return }
    if Self.isSuccess(.finished(finished)), [.authenticate, .change].contains(begin.operation) {
      precondition(script.hasPasscode, "a success without the passcode")
      // A change concerns only this machine: the keys stay what they were.
      precondition(begin.operation == .change || server.judged > 0, "a success without the server")
    }
    checkBelieved(finished, begin, prompted: messages.contains { $0.type == .prompt })
  }

  private static func isSuccess(_ message: CoreMessage) -> Bool {
    if case .finished(let finished) = message { finished.pamCode == 0 } else { false }
  }

  private func begin() throws -> Begin { try Begin(Packet(script.begin.span), script.begin.span) }

  /// Every result of the module's own conversations must be one that the module believes.
  private func checkBelieved(_ finished: Finished, _ begin: Begin, prompted: Bool) {
    let isModules = begin.service != Array(CallerIdentity.toolService.utf8) && begin.payload == nil
    let operations: [Operation: frame_operation] = [
      .authenticate: OPERATION_AUTHENTICATE, .change: OPERATION_CHANGE, .account: OPERATION_ACCOUNT,
    ]
    guard isModules, let operation = operations[begin.operation], begin.operation != .change || begin.isDivided else {
      return
    }
    let arguments = try? ModuleArguments(parsing: begin.arguments.map { String(decoding: $0, as: UTF8.self) })
    let nouserok = arguments?.nouserok != nil
    let isBelieved = [false, true].contains { resumed in
      var said = verdict(
        operation: operation, code: CInt(finished.pamCode), result: finished.result, stale: finished.staleValue,
        prompted: prompted, resumed: resumed, nouserok: nouserok)
      // SAFETY: the structure lives for the call.
      return unsafe verdict_belongs_together(&said)
    }
    precondition(isBelieved, "the module does not believe code \(finished.pamCode), result \(finished.result)")
  }

  /// Runs the conversation; everything the front end says is there before it begins.
  private func converse(in world: CoreWorld) -> [CoreMessage] {
    guard let ends = try? PacketSocket.pair(), let mine = try? PacketSocket(takingOver: ends.mine),
      let theirs = try? PacketSocket(takingOver: ends.theirs), let frontEnd = try? FrontEnd(theirs)
    else { preconditionFailure("no socket") }
    for packet in [script.begin] + script.packets { try? mine.send(packet, timeoutMilliseconds: 0) }
    // A question for which the script has no answer meets the end of the stream instead of waiting forever.
    _ = shutdown(ends.mine, CInt(SHUT_WR))
    guard let begin = try? frontEnd.receiveBegin() else { return [] }
    serve(begin, frontEnd, in: world)
    return heard(mine)
  }

  private func serve(_ begin: Begin, _ frontEnd: FrontEnd, in world: CoreWorld) {
    do throws(Ending) {
      let caller = try CallerIdentity(
        begin, peer: script.isPeerRoot ? 0 : CoreWorld.uid, passwd: { Array("mina:x:4242:4242::/:/bin/sh\n".utf8) })
      let environment = world.environment(script.configuration, server, CoreLog())
      let session = try Session(begin, frontEnd, caller: caller, in: environment)
      let success: Success
      do throws(Ending) { success = try session.run() } catch { return try session.reporter.finish(error) }
      try session.reporter.finish(success)
    } catch {
      // The front end has disappeared, or no session was created: HelperProgram says the rest.
    }
  }

  private func heard(_ socket: borrowing PacketSocket) -> [CoreMessage] {
    var messages: [CoreMessage] = []
    guard var buffer = try? Secret(capacity: WireLimit.packet + 1) else { return messages }
    while let packet = try? socket.receive(into: &buffer, timeoutMilliseconds: 0) {
      buffer.withBytes { bytes in
        guard let message = try? CoreMessage(packet, bytes) else { preconditionFailure("not the core's message") }
        var read = frame_message()
        // SAFETY: the bytes are lent for the call, and what the result points to is not read.
        let isRead = unsafe bytes.withUnsafeBufferPointer { unsafe frame_read($0.baseAddress, $0.count, &read) }
        precondition(isRead, "the module cannot read what the core said")
        messages.append(message)
      }
    }
    return messages
  }
}
