import Foundation
import Glibc
import Testing

@testable import Authenticator

/// The record of what the server of a machine has announced.
@Suite struct TrustRecordTests {
  private let folder = StateFolder()

  private func record() -> TrustRecord {
    var record = TrustRecord(place: Array(repeating: 7, count: 32))
    record.pinnedKeys = [Array(repeating: 4, count: 65)]
    record.keys = [
      .init(Array(repeating: 5, count: 65), learnedAt: 100),
      .init(Array(repeating: 6, count: 65), learnedAt: 0, endedAt: 9),
    ]
    record.pinnedAuthorities = [Array(repeating: 1, count: 32)]
    record.authorities = [.init(Array(repeating: 2, count: 700), learnedAt: 50)]
    return record
  }

  @Test func `what was announced is read back as it was stored, even the largest record`() throws {
    #expect(try TrustRecord(record().bytes) == record())
    var largest = record()
    largest.pinnedKeys = Array(repeating: Array(repeating: 4, count: 65), count: TrustRecord.mostPinned)
    largest.keys = Array(repeating: record().keys[0], count: TrustRecord.mostKeys)
    largest.pinnedAuthorities = Array(repeating: Array(repeating: 1, count: 32), count: TrustRecord.mostPinned)
    largest.authorities = Array(
      repeating: .init(Array(repeating: 2, count: 4096), learnedAt: 50), count: TrustRecord.mostAuthorities)
    try largest.store(in: folder.path, owner: getuid())
    #expect(try TrustRecord.read(in: folder.path, owner: getuid()) == largest)
    try TrustRecord.remove(in: folder.path, owner: getuid())
    #expect(try TrustRecord.read(in: folder.path, owner: getuid()) == nil)
  }

  @Test func `refuses a record that was cut off after any of its bytes`() {
    let bytes = record().bytes
    for length in 0..<bytes.count {
      #expect(throws: StateError.damaged, "\(length)") { try TrustRecord(Array(bytes.prefix(length))) }
    }
  }

  @Test func `refuses a record with more keys or authorities than are kept`() {
    var many = record()
    many.keys = Array(repeating: many.keys[0], count: TrustRecord.mostKeys + 1)
    #expect(throws: StateError.damaged) { try TrustRecord(many.bytes) }
    many = record()
    many.authorities = Array(repeating: many.authorities[0], count: TrustRecord.mostAuthorities + 1)
    #expect(throws: StateError.damaged) { try TrustRecord(many.bytes) }
  }
}
