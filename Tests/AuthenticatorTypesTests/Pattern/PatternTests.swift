import SecretMemory
import Testing

@testable import AuthenticatorTypes

@Suite struct PatternTests {
  private func canonical(_ entry: String) throws -> String? {
    guard let stroke = Pattern.canonical(try Secret(copying: Array(entry.utf8).span)) else { return nil }
    return stroke.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  @Test(arguments: [
    ("1379", "1235789"), ("1397", "1236987"), ("7139", "7412369"), ("2846", "25846"), ("4613", "456123"),
    ("1234", "1234"), ("5193", "51963"), ("16729438", "16729438"), ("1937", "159637"),
  ])
  func `a line of a pattern adds the node that it passes over, unless that was visited before`(
    _ entry: String, _ nodes: String
  ) throws {
    #expect(try canonical(entry) == nodes)
  }

  @Test(arguments: [
    "", "1", "12", "123", "13", "19", "12341", "1232", "0123", "12a4", "1 2 3 4", "1234\n", "132", "1325",
  ])
  func `refuses an entry that is not a pattern`(_ entry: String) throws {
    #expect(try canonical(entry) == nil)
  }

  @Test func `refuses every byte in a pattern but the digits 1 to 9`() throws {
    for byte in UInt8.min...UInt8.max where !(0x31...0x39).contains(byte) {
      let entry = try Secret(copying: [0x31, 0x32, 0x33, 0x36, byte].span)
      let stroke = Pattern.canonical(entry)
      let isRefused = stroke == nil
      #expect(isRefused)
    }
  }

  @Test func `there are exactly 389112 patterns, and of each length as many as the published count`() {
    var counts = [Int](repeating: 0, count: 10)
    var nodes: [UInt8] = []
    func extend() {
      for node in UInt8(ascii: "1")...UInt8(ascii: "9") where !nodes.contains(node) {
        nodes.append(node)
        var index = 0
        var isCanonical = true
        _ = Pattern.canonicalise(nodes.span) { digit in
          isCanonical = isCanonical && index < nodes.count && nodes[index] == digit + UInt8(ascii: "0")
          index += 1
        }
        if isCanonical {
          if nodes.count >= 4 { counts[nodes.count] += 1 }
          extend()
        }
        nodes.removeLast()
      }
    }
    extend()
    #expect(Array(counts[4...]) == [1_624, 7_152, 26_016, 72_912, 140_704, 140_704])
    #expect(counts.reduce(0, +) == 389_112)
    #expect(counts[4] == Int(Pattern.shortestCount))
  }

  @Test func `the canonical form of a pattern has itself as its canonical form`() throws {
    for entry in ["1379", "2846", "73195", "5193", "846213579"] {
      guard let once = try canonical(entry) else { continue }
      #expect(try canonical(once) == once)
    }
  }
}
