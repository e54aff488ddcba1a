import Testing
import UAFWire

@testable import UAFName

/// Which name of a uid is returned: one that leads back to it.
@Suite struct NameLookupTests {
  private static let mina = Array("mina".utf8)

  private func answer(_ number: NameLookup.Entry, _ name: NameLookup.Entry = .none) -> NameAnswer {
    NameLookup(ofNumber: { _ in number }, ofName: { _ in name }).answer(to: 70_000)
  }

  @Test func `a name that leads back to its uid is returned`() {
    let own = NameLookup.Entry.account(uid: 70_000, name: Self.mina)
    #expect(answer(own, own) == NameAnswer(.found, name: Self.mina))
  }

  @Test func `a name that leads to a different uid, or to none, is not returned`() {
    let own = NameLookup.Entry.account(uid: 70_000, name: Self.mina)
    #expect(answer(own, .account(uid: 1000, name: Self.mina)) == NameAnswer(.ambiguous))
    #expect(answer(own, .account(uid: 0, name: Self.mina)) == NameAnswer(.ambiguous))
    #expect(answer(own, .none) == NameAnswer(.ambiguous))
    #expect(answer(own, .account(uid: 70_000, name: Array("Mina".utf8))) == NameAnswer(.ambiguous))
  }

  @Test func `an entry with a uid other than the requested one is not returned`() {
    let other = NameLookup.Entry.account(uid: 70_001, name: Self.mina)
    #expect(answer(other, other) == NameAnswer(.ambiguous))
  }

  @Test func `if a uid has two names, returns the name that the uid leads to`() {
    let entries = [Self.mina: UInt32(70_000), Array("lena".utf8): 70_000]
    let lookup = NameLookup(
      ofNumber: { .account(uid: $0, name: Self.mina) },
      ofName: { name in entries[name].map { .account(uid: $0, name: name) } ?? .none })
    #expect(lookup.answer(to: 70_000) == NameAnswer(.found, name: Self.mina))
    // A service that knows the second name only under its first name must not lead to a different name.
    let other = NameLookup(
      ofNumber: { .account(uid: $0, name: Array("lena".utf8)) },
      ofName: { _ in .account(uid: 70_000, name: Self.mina) })
    #expect(other.answer(to: 70_000) == NameAnswer(.ambiguous))
  }

  @Test func `a uid that nobody has is unknown, and a failing service does not make a uid unknown`() {
    #expect(answer(.none) == NameAnswer(.unknown))
    #expect(answer(.failed(5)) == NameAnswer(.failed, number: 5))
    #expect(answer(.account(uid: 70_000, name: Self.mina), .failed(111)) == NameAnswer(.failed, number: 111))
  }

  @Test func `a name that is empty or longer than 256 bytes is a failure`() {
    for name in [[], [UInt8](repeating: 0x61, count: 257)] {
      let entry = NameLookup.Entry.account(uid: 70_000, name: name)
      #expect(answer(entry, entry).outcome == .failed)
      #expect(answer(entry, entry).name == nil)
    }
    let longest = NameLookup.Entry.account(uid: 70_000, name: [UInt8](repeating: 0x61, count: 256))
    #expect(answer(longest, longest).outcome == .found)
  }

  @Test func `the machine's own accounts are found by uid and by name`() {
    #expect(NameLookup.ofTheSystem.answer(to: 0) == NameAnswer(.found, name: Array("root".utf8)))
    #expect(NameLookup.ofTheSystem.answer(to: 4_000_000_011).name == nil)
  }
}
