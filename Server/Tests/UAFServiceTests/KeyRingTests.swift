import Testing

@testable import UAFService

/// Which of several server keys is used, and which are accepted.
struct KeyRingTests {
  private static let day: Int64 = 86_400

  private func made(_ entries: (Int64, String)...) -> KeyRing<String>? {
    KeyRing(entries.map { .init(from: $0.0, key: $0.1) })
  }

  @Test func `a server key is used from its start time on, and known before`() throws {
    let ring = try #require(made((0, "old"), (1000, "new")))
    #expect(ring.current(at: 999) == "old" && ring.current(at: 1000) == "new")
    #expect(ring.announced(at: 999) == ["old", "new"] && ring.announced(at: 1000) == ["new"])
    #expect(ring.accepted(at: 999) == ["old", "new"])
  }

  @Test func `a replaced server key is accepted for a day, and not a second longer`() throws {
    let ring = try #require(made((0, "old"), (1000, "new")))
    #expect(ring.accepted(at: 1000 + Self.day - 1) == ["new", "old"])
    #expect(ring.accepted(at: 1000 + Self.day) == ["new"])
    #expect(ring.kept(at: 1000 + Self.day).map(\.key) == ["new"])
  }

  @Test func `several server keys follow each other, the key in use first`() throws {
    let ring = try #require(made((0, "a"), (100, "b"), (Self.day, "c"), (Self.day * 2, "d")))
    #expect(ring.current(at: 500) == "b")
    #expect(ring.accepted(at: 500) == ["b", "c", "d", "a"])
    #expect(ring.accepted(at: Self.day + 100) == ["c", "d", "b"])
    #expect(ring.kept(at: Self.day + 100).map(\.key) == ["b", "c", "d"])
  }

  @Test func `if the clock is before every server key's start time, the first key is used`() throws {
    let ring = try #require(made((100, "a"), (200, "b")))
    #expect(ring.current(at: -5) == "a" && ring.accepted(at: -5) == ["a", "b"])
  }

  @Test func `refuses an empty list of server keys, and keys that are not in the order of their times`() {
    #expect(made() == nil)
    #expect(made((5, "a"), (5, "b")) == nil)
    #expect(made((5, "a"), (4, "b")) == nil)
  }

  @Test func `a single server key is always used`() {
    let ring = KeyRing("a")
    #expect(ring.current(at: 0) == "a" && ring.accepted(at: .max) == ["a"] && ring.kept(at: .max).count == 1)
  }
}
