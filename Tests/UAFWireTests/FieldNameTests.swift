import Foundation
import Testing

@testable import UAFWire

/// docs/protocol.md, the Swift code and the C code have the same name for each field.
struct FieldNameTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The fields in the Swift code: for each packet a list of `TAG NAME`.
  private static let fields: [String: [String]] = [
    "begin": names(Begin.Field.self), "answer": names(Answer.Field.self), "cancelled": names(FrontEndSignal.Field.self),
    "resume": [], "prompt": names(Prompt.Field.self), "info": names(CoreMessage.NoticeField.self),
    "error": names(CoreMessage.NoticeField.self), "ready": [], "setenv": names(CoreMessage.SetenvField.self),
    "finished": names(Finished.Field.self), "keyring": names(KeyringPassword.Field.self),
    "request": names(FetchRequest.Field.self),
    "places": names(FetchPlaces.Field.self), "authorities": names(FetchAuthorities.Field.self),
    "response": names(FetchResponse.Field.self),
    "chunk": names(FetchChunk.Field.self), "chip request": names(ChipRequest.Field.self),
    "chip answer": names(ChipAnswer.Field.self),
    "ask": names(FingerAsk.Field.self), "stop": [],
    "sensor": names(FingerSensor.Field.self), "touch": names(FingerTouch.Field.self),
    "end": names(FingerEnd.Field.self),
    "name request": names(NameRequest.Field.self), "name answer": names(NameAnswer.Field.self),
  ]

  private static func names<Field: PacketField>(_ type: Field.Type) -> [String] {
    Field.allCases.map { "\($0.tag) \($0)" }
  }

  /// The fields in the tables of docs/protocol.md, whose columns are type, name, sender and fields.
  private static func documented() throws -> [String: [String]] {
    let text = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
    var fields: [String: [String]] = [:]
    for row in text.split(separator: "\n") where row.hasPrefix("| 0x") {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      fields[cells[1]] = cells[3].matches(of: /(?:^| · )(\d+)\*? (\w+):/).map { "\($0.1) \($0.2)" }
    }
    return fields
  }

  /// The fields in the enumerations of the C header: for each packet a list of `TAG NAME_IN_C`.
  private static func declaredInC() throws -> [String: [String]] {
    let header = try String(contentsOf: root.appending(path: "cshim/frame.h"), encoding: .utf8)
    var fields: [String: [String]] = [:]
    for declaration in header.matches(of: /enum (\w+)_field \{([^}]*)\}/) {
      var tag = 0
      fields[String(declaration.1)] = declaration.2.split(separator: ",").map { entry in
        let parts = entry.split(separator: "=").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        tag = parts.count > 1 ? Int(parts[1]) ?? 0 : tag + 1
        return "\(tag) \(parts[0])"
      }
    }
    return fields
  }

  /// The name of a field in the C code: `typedName` of *begin* is `BEGIN_TYPED_NAME`.
  private static func nameInC(_ field: String, of packet: String) -> String {
    let parts = field.split(separator: " ")
    let snake = parts[1].replacing("UID", with: "_UID").replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }
    return "\(parts[0]) \(packet.uppercased())_\(snake.uppercased())"
  }

  @Test func `docs/protocol.md and the Swift code have the same name for each field`() throws {
    #expect(try Self.documented() == Self.fields)
  }

  @Test func `the C code and the Swift code have the same name for each field that the core sends`() throws {
    let declared = try Self.declaredInC()
    for (packet, name) in [("prompt", "prompt"), ("setenv", "setenv"), ("finished", "finished"), ("info", "notice")] {
      #expect(declared[name] == Self.fields[packet]?.map { Self.nameInC($0, of: name) }, "\(packet)")
    }
  }

  @Test(arguments: ["begin", "answer", "cancelled"])
  func `each field that the C code sends has the name of the Swift code`(_ packet: String) throws {
    let declared = try #require(try Self.declaredInC()[packet])
    let known = try #require(Self.fields[packet]).map { Self.nameInC($0, of: packet) }
    #expect(!declared.isEmpty && Set(declared).isSubset(of: known), "\(declared)")
  }
}
