import Foundation
import Testing

@testable import UAFMessages

/// What servers write for an optional member that they have nothing for, such as null or an empty text:
/// Tests/Vectors/uaf/absent.json.
@Suite struct AbsentMemberTests {
  struct Entry: Sendable, CustomTestStringConvertible {
    let name: String
    let body: String
    let message: [UInt8]
    /// The message without the member, which must be read as the same; nil if the message must be refused.
    let same: [UInt8]?

    var testDescription: String { name }

    /// The message that was read, as text in the form in which this project writes it; throws if the message is refused.
    static func read(_ bytes: [UInt8], _ body: String) throws -> String {
      switch body {
      case "request": UAFRequest.text(of: [try UAFRequest(parsing: bytes)])
      case "returned": try ReturnUAFRequest(parsing: bytes).jsonText
      case "verdict": try ServerResponse(parsing: bytes).jsonText
      case "facets": try TrustedFacetList(parsing: bytes).jsonText
      default: throw CocoaError(.coderReadCorrupt)
      }
    }
  }

  static let entries: [Entry] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    guard let data = try? Data(contentsOf: folder.appending(path: "Vectors/uaf/absent.json")),
      case .array(let list)? = try? JSONValue(parsing: Array(data))
    else { return [] }
    return list.compactMap { entry in
      guard case .object(let object) = entry, case .string(let name)? = object["name"],
        case .string(let body)? = object["body"], let message = object["message"]
      else { return nil }
      return Entry(name: name, body: body, message: message.bytes, same: object["as"]?.bytes)
    }
  }()

  @Test func `of the 75 vectors with an empty member, 32 must be refused`() {
    #expect(Self.entries.count == 75 && Self.entries.count { $0.same == nil } == 32)
  }

  @Test(arguments: entries.filter { $0.same != nil })
  func `an optional member that is null or empty counts as absent`(_ entry: Entry) throws {
    #expect(try Entry.read(entry.message, entry.body) == Entry.read(try #require(entry.same), entry.body))
  }

  @Test(arguments: entries.filter { $0.same == nil })
  func `refuses a message if a member that a decision depends on is null or empty`(_ entry: Entry) {
    #expect(throws: MessageError.self) { try Entry.read(entry.message, entry.body) }
  }

  @Test(arguments: entries) func `refuses a message that was cut anywhere, and does not crash at a flipped bit`(
    _ entry: Entry
  ) {
    for count in 0..<entry.message.count {
      #expect(throws: MessageError.self) { try Entry.read(Array(entry.message.prefix(count)), entry.body) }
    }
    for bit in 0..<(entry.message.count * 8) {
      var changed = entry.message
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = try? Entry.read(changed, entry.body)
    }
  }
}
