import CCurl
import Testing
import UAFWire

@testable import UAFFetch

/// How much one transfer may receive.
struct ReceptionTests {
  /// A reception that belongs to no transfer; nothing uses its handle.
  private static func reception() throws -> Reception {
    // SAFETY: any address will do for a pointer that nothing follows.
    unsafe Reception(try #require(UnsafeMutableRawPointer(bitPattern: 1)), watching: -1)
  }

  @Test func `keeps the body of an answer up to the limit, and nothing beyond it`() throws {
    let reception = try Self.reception()
    let half = [UInt8](repeating: 7, count: WireLimit.responseBody / 2)
    let isTaken = [reception.receive(body: half.span), reception.receive(body: half.span)]
    #expect(isTaken == [true, true])
    #expect(!reception.isTooLarge)
    let isMoreTaken = reception.receive(body: [7].span)
    #expect(!isMoreTaken)
    #expect(reception.isTooLarge)
    #expect(reception.body.count == WireLimit.responseBody)
  }

  @Test func `refuses an answer with one header too many`() throws {
    let reception = try Self.reception()
    for _ in 0..<Reception.maximumHeaderCount { #expect(reception.receive(headerOf: 1)) }
    #expect(!reception.receive(headerOf: 1))
    #expect(reception.isTooLarge)
  }

  @Test(arguments: [Reception.maximumHeaderBytes + 1, Int.max])
  func `refuses an answer whose headers are too long in total`(_ count: Int) throws {
    let reception = try Self.reception()
    #expect(reception.receive(headerOf: Reception.maximumHeaderBytes))
    #expect(!reception.receive(headerOf: 1))
    #expect(!(try Self.reception()).receive(headerOf: count))
  }

  @Test func `removes control bytes, and bytes that are not ASCII, from a text for the log`() {
    #expect(LogText.cleaned("a\u{1B}[2J\nb\u{7F}".utf8, limit: 512) == "a?[2J?b?")
    #expect(LogText.cleaned("é".utf8, limit: 512) == "??")
    #expect(LogText.cleaned("abcdef".utf8, limit: 3) == "abc")
    #expect(LogText.cleaned([0xFF, 0x41], limit: 3) == "?A")
  }
}
