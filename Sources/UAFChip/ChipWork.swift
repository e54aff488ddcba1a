import Glibc
import Sandbox
import SecretMemory
import UAFWire

/// A request on its way to its answer.
struct ChipWork: ~Copyable {
  private let request: ChipRequest
  private let networkFailure: CInt
  private var answer = ChipAnswer(.done)
  private var opened: Secret?

  /// - Parameter networkFailure: how leaving the machine's network went: an error number, or 0.
  init(_ request: ChipRequest, network networkFailure: CInt) {
    self.request = request
    self.networkFailure = networkFailure
  }

  /// Opens the chip, gives everything else up, and does what is asked.
  ///
  /// - Throws: ``ChipFailure``.
  mutating func perform(sealing key: consuming Secret?) throws(ChipFailure) {
    let descriptor = try ChipPlace.open(request.place)
    guard ChipPrivileges.dropCapabilities() else { throw ChipFailure(.failed, "capabilities") }
    let missing = ChipSandbox.enter(network: networkFailure).text
    defer { answer.missing = missing }
    let service = ChipService(chip: try Chip(over: descriptor))
    switch request.purpose {
    case .seal:
      guard let key else { throw ChipFailure(.failed, "no key") }
      answer.sealedKey = try service.seal(key).bytes
    case .unseal:
      guard let object = request.sealedKey.flatMap({ SealedObject($0) }) else {
        throw ChipFailure(.damaged, "read sealed key")
      }
      opened = try service.unseal(object)
    case .facts: answer = try service.facts()
    }
  }

  /// Answers with a failure.
  mutating func fail(_ failure: ChipFailure) {
    answer.outcome = failure.outcome
    answer.number = failure.number
    answer.step = failure.step
  }

  /// The answer.
  ///
  /// - Throws: `PacketError`, also if there is no memory (`size`).
  mutating func packet() throws(PacketError) -> Secret {
    guard let opened = opened.take() else {
      let bytes = try answer.packet()
      guard let packet = try? Secret(copying: bytes.span) else { throw .size }
      return packet
    }
    return try answer.packet(with: opened)
  }
}
