import Testing
import UAFWire

@testable import UAFName

/// Which name is returned for a uid: one whose own look-up gives the same uid and name again.
@Suite struct NameLookupTests {
  private static let mina = Array("mina".utf8)

  private func answer(_ number: NameLookup.Entry, _ name: NameLookup.Entry = .none) -> NameAnswer {
    NameLookup(ofNumber: { _ in number }, ofName: { _ in name }).answer(to: 70_000)
  }

  @Test func `returns a name for which the name services return the same uid`() {
    let own = NameLookup.Entry.account(uid: 70_000, name: Self.mina)
    #expect(answer(own, own) == NameAnswer(.found, name: Self.mina))
  }

  @Test func `refuses a name for which the name services return a different uid, name or nothing`() {
    let own = NameLookup.Entry.account(uid: 70_000, name: Self.mina)
    #expect(answer(own, .account(uid: 1000, name: Self.mina)) == NameAnswer(.ambiguous))
    #expect(answer(own, .account(uid: 0, name: Self.mina)) == NameAnswer(.ambiguous))
    #expect(answer(own, .none) == NameAnswer(.ambiguous))
    #expect(answer(own, .account(uid: 70_000, name: Array("Mina".utf8))) == NameAnswer(.ambiguous))
  }

  @Test func `refuses an entry that has a uid other than the requested one`() {
    let other = NameLookup.Entry.account(uid: 70_001, name: Self.mina)
    #expect(answer(other, other) == NameAnswer(.ambiguous))
  }

  @Test func `if a uid has two names, returns the one that the name services give for the uid`() {
    let entries = [Self.mina: UInt32(70_000), Array("lena".utf8): 70_000]
    let lookup = NameLookup(
      ofNumber: { .account(uid: $0, name: Self.mina) },
      ofName: { name in entries[name].map { .account(uid: $0, name: name) } ?? .none })
    #expect(lookup.answer(to: 70_000) == NameAnswer(.found, name: Self.mina))
    // This service knows the second name only under the first one; no name may be returned then.
    let other = NameLookup(
      ofNumber: { .account(uid: $0, name: Array("lena".utf8)) },
      ofName: { _ in .account(uid: 70_000, name: Self.mina) })
    #expect(other.answer(to: 70_000) == NameAnswer(.ambiguous))
  }

  @Test func `a uid that nobody has is reported as unknown, and a failing name service as a failure`() {
    #expect(answer(.none) == NameAnswer(.unknown))
    #expect(answer(.failed(5)) == NameAnswer(.failed, number: 5))
    #expect(answer(.account(uid: 70_000, name: Self.mina), .failed(111)) == NameAnswer(.failed, number: 111))
  }

  @Test func `reports an account name that is empty or longer than 256 bytes as a failure`() {
    for name in [[], [UInt8](repeating: 0x61, count: 257)] {
      let entry = NameLookup.Entry.account(uid: 70_000, name: name)
      #expect(answer(entry, entry).outcome == .failed)
      #expect(answer(entry, entry).name == nil)
    }
    let longest = NameLookup.Entry.account(uid: 70_000, name: [UInt8](repeating: 0x61, count: 256))
    #expect(answer(longest, longest).outcome == .found)
  }

  @Test func `finds root, and nobody for a uid that does not exist, with the machine's own name services`() {
    #expect(NameLookup.ofTheSystem.answer(to: 0) == NameAnswer(.found, name: Array("root".utf8)))
    #expect(NameLookup.ofTheSystem.answer(to: 4_000_000_011).name == nil)
  }
}
