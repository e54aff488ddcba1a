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
  /// - Parameters:
  ///   - key: the key that is to be sealed.
  ///   - values: the values of an index.
  /// - Throws: ``ChipFailure``.
  mutating func perform(sealing key: consuming Secret?, with values: consuming Secret?) throws(ChipFailure) {
    let descriptor = try ChipPlace.open(request.place)
    guard ChipPrivileges.dropCapabilities() else { throw ChipFailure(.failed, "capabilities") }
    let missing = ChipSandbox.enter(network: networkFailure).text
    defer { answer.missing = missing }
    let chip = try Chip(over: descriptor)
    let service = ChipService(chip: chip)
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
    case .define, .open, .openInVain:
      guard let values, let values = IndexValues(values) else { throw ChipFailure(.failed, "no values") }
      try use(IndexService(chip: chip, storage: service), values)
    case .clear, .remove, .find: try administer(IndexService(chip: chip, storage: service))
    }
  }

  /// Makes an index, or opens its share.
  private mutating func use(_ indices: IndexService, _ values: borrowing IndexValues) throws(ChipFailure) {
    switch request.purpose {
    case .define:
      let share = try IndexService.makeShare()
      answer.sealedKey = try indices.define(
        values, guarding: share, mark: request.mark ?? [], limit: request.limit ?? 0
      ).bytes
      opened = consume share
    case .open: opened = try indices.open(try kept(), values)
    default: try indices.openInVain(values)
    }
  }

  /// Looks for an index, or changes it without its values, as the chip's owner may.
  private func administer(_ indices: IndexService) throws(ChipFailure) {
    switch (request.purpose, request.mark) {
    case (.find, _): try indices.find(try kept())
    case (.clear, _): try indices.clear(try kept(), limit: request.limit ?? 0)
    case (_, let mark?): try indices.remove(marked: mark, but: request.sealedKey.flatMap { KeptIndex($0) }?.handle)
    case (_, nil): try indices.remove(try kept())
    }
  }

  private func kept() throws(ChipFailure) -> KeptIndex {
    guard let kept = request.sealedKey.flatMap({ KeptIndex($0) }) else { throw ChipFailure(.damaged, "read index") }
    return kept
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
