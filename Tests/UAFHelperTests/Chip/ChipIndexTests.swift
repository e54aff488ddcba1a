import FidoResults
import Foundation
import SecretMemory
import Testing
import UAFWire

@testable import UAFHelper

/// What uaf-chip does with its indices, in response to the same requests as the core sends.
@Suite struct ChipIndexTests {
  private let chip: SoftwareTPM
  private let process: ChipProcess
  private let mark = [UInt8](repeating: 5, count: 32)

  init() throws {
    chip = try SoftwareTPM()
    process = try SoftwareTPM.program()
  }

  private func values(_ byte: UInt8, share: UInt8 = 9) throws -> Secret {
    try Secret(copying: ([UInt8](repeating: byte, count: 32) + [UInt8](repeating: share, count: 32)).span)
  }

  private func request(_ purpose: ChipRequest.Purpose, _ kept: [UInt8]? = nil, limit: UInt32? = nil) -> ChipRequest {
    var request = ChipRequest(purpose, at: chip.place, opening: kept)
    request.limit = limit
    return request
  }

  private func define(limit: UInt32 = 3) throws -> (kept: [UInt8], share: [UInt8]) {
    var request = request(.define, limit: limit)
    request.mark = mark
    let reply = try process.ask(request, with: values(1))
    #expect(reply.answer.outcome == .done, "\(reply.answer.told)")
    let share = try Self.bytes(reply.key)
    return (try #require(reply.answer.sealedKey), try #require(share))
  }

  private static func bytes(_ key: borrowing Secret?) throws -> [UInt8]? {
    switch key {
    case .some(let key): key.withBytes { span in span.indices.map { span[$0] } }
    case nil: nil
    }
  }

  private func open(_ kept: [UInt8], _ byte: UInt8, share: UInt8 = 9) throws -> (ChipOutcome, [UInt8]?) {
    let reply = try process.ask(request(.open, kept), with: values(byte, share: share))
    return (reply.answer.outcome, try Self.bytes(reply.key))
  }

  private func ask(_ request: ChipRequest) throws -> ChipOutcome {
    let reply = try process.ask(request)
    return reply.answer.outcome
  }

  @Test func `the chip returns the share for the right secret, even after the chip was restarted`() throws {
    let (kept, share) = try define()
    #expect(share.count == 32 && kept.count < 1024)
    #expect(!kept.indices.contains { kept[$0...].starts(with: share.prefix(8)) })
    #expect(try open(kept, 1) == (.done, share))
    chip.stop()
    try chip.start()
    #expect(try open(kept, 1) == (.done, share))
  }

  @Test func `the chip counts wrong secrets up to the limit, and a right secret resets its count`() throws {
    let (kept, share) = try define(limit: 3)
    #expect(try open(kept, 2).0 == .wrong)
    #expect(try open(kept, 2).0 == .wrong)
    #expect(try open(kept, 1) == (.done, share))
    for _ in 0..<3 { #expect(try open(kept, 2) == (.wrong, nil)) }
    #expect(try open(kept, 1) == (.exhausted, nil))
    chip.stop()
    try chip.start()
    #expect(try open(kept, 1) == (.exhausted, nil))
    #expect(try ask(request(.clear, kept, limit: 3)) == .done)
    #expect(try open(kept, 1) == (.done, share))
  }

  @Test func `wrong secrets lock only their own index, and the chip's own lockout counter stays 0`() throws {
    let (kept, _) = try define(limit: 100)
    let (other, share) = try define(limit: 2)
    for _ in 0..<40 { #expect(try open(kept, 2).0 == .wrong) }
    let facts = try process.ask(ChipRequest(.facts, at: chip.place))
    #expect(facts.answer.lockoutCounter == 0)
    #expect(try open(other, 1) == (.done, share))
  }

  @Test func `refuses a share whose index is gone or was replaced`() throws {
    let (kept, _) = try define()
    #expect(try open(kept, 1, share: 8) == (.indexReplaced, nil))
    #expect(try ask(request(.remove, kept)) == .done)
    #expect(try chip.indices().isEmpty)
    #expect(try open(kept, 1) == (.indexMissing, nil))
    #expect(try ask(request(.clear, kept, limit: 3)) == .indexMissing)
    #expect(try ask(request(.remove, kept)) == .done)
  }

  @Test func `refuses the record of a share that names a different index or is damaged`() throws {
    let (first, second) = (try define().kept, try define().kept)
    // Mixes two records: the number of one index with the name of the other.
    let mixed = first.prefix(5) + second.dropFirst(5)
    #expect(try open(Array(mixed), 1) == (.indexReplaced, nil))
    var named = first
    named.replaceSubrange(1..<41, with: second[1..<41])
    #expect(try open(named, 1) == (.indexReplaced, nil))
    var damaged = first
    damaged[first.count - 100] ^= 1
    #expect(![.done, .wrong].contains(try open(damaged, 1).0))
    #expect(try open([1, 2, 3], 1) == (.damaged, nil))
  }

  @Test func `refuses a share that a different chip has made`() throws {
    let (kept, _) = try define()
    let other = try SoftwareTPM()
    let reply = try process.ask(ChipRequest(.open, at: other.place, opening: kept), with: values(1))
    #expect(reply.answer.outcome == .otherChip)
  }

  @Test func `removes all indices of one share id but one, and none of other ids`() throws {
    let kept = try [define().kept, define().kept, define().kept]
    var request = request(.remove, kept[1])
    request.mark = [UInt8](repeating: 6, count: 32)
    #expect(try ask(request) == .done)
    #expect(try chip.indices().count == 3)
    request.mark = mark
    #expect(try ask(request) == .done)
    #expect(try chip.indices().count == 1)
    #expect(try open(kept[1], 1).0 == .done)
    #expect(try open(kept[0], 1).0 == .indexMissing)
  }

  @Test func `if the chip is full, reports that and leaves no part of the new index`() throws {
    try chip.fill()
    var request = request(.define, limit: 3)
    request.mark = mark
    let reply = try process.ask(request, with: values(1))
    #expect(reply.answer.outcome == .full, "\(reply.answer.told)")
    #expect(try chip.indices().isEmpty)
  }

  @Test func `the dummy index for unknown names refuses every secret as wrong`() throws {
    for _ in 0..<5 {
      let reply = try process.ask(request(.openInVain), with: values(1))
      #expect(reply.answer.outcome == .wrong, "\(reply.answer.told)")
    }
    #expect(try chip.indices(from: 0x01a5_0000) == [0x01a5_ffff])
    #expect(try chip.indices().isEmpty)
  }

  @Test func `reports a chip that disappears between two requests, and works again once it is back`() throws {
    let (kept, share) = try define()
    chip.stop()
    #expect(try open(kept, 1).0 == .absent)
    try chip.start()
    #expect(try open(kept, 1) == (.done, share))
  }
}
