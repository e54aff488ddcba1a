import SecretMemory
import Testing
import UAFWire

/// The messages that the core has sent in one call.
struct Transcript {
  private(set) var messages: [CoreMessage] = []
  /// The types of all messages, in order.
  private(set) var types: [PacketType] = []
  /// The passwords of keyrings that were handed over.
  private(set) var keyring: [String] = []

  /// Reads the messages.
  ///
  /// The last one must be *finished*, unless the front end disappeared before.
  init(_ socket: borrowing PacketSocket, unused entries: Int, isHeardOut: Bool = true) throws {
    var buffer = try Secret(capacity: WireLimit.packet + 1)
    while true {
      guard let packet = try? socket.receive(into: &buffer, timeoutMilliseconds: 0) else { break }
      types.append(packet.type)
      if packet.type == .keyring {
        keyring.append(
          try KeyringPassword.value(packet, in: buffer).withBytes { span in
            String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
          })
        continue
      }
      messages.append(
        try buffer.withBytes { (bytes: Span<UInt8>) throws(PacketError) in try CoreMessage(packet, bytes) })
    }
    #expect(messages.count { $0.type == .finished } == (isHeardOut ? 1 : 0))
    #expect((messages.last?.type == .finished) == isHeardOut)
    #expect(prompts.count <= entries, "asked more often than the script answers")
  }

  var finished: Finished {
    if case .finished(let finished) = messages.last { return finished }
    return Finished(pamCode: 255, result: .max)
  }

  var result: UInt32 { finished.result }

  var pamCode: UInt8 { finished.pamCode }

  var prompts: [Prompt] { messages.compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } } }

  var errors: [String] { messages.compactMap { if case .error(let text) = $0 { text } else { nil } } }

  var infos: [String] { messages.compactMap { if case .info(let text) = $0 { text } else { nil } } }
}
