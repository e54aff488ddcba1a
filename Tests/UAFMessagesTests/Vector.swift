import Foundation
import Testing

@testable import UAFMessages

/// A request and its response from Tests/Vectors/uaf.
struct Vector: Sendable, CustomTestStringConvertible {
  let name: String
  private let json: JSONObject

  var testDescription: String { name }

  /// The vectors that are malformed.
  ///
  /// The other bad ones are well-formed, and only a server can refuse them.
  static let malformed = ["reg-trailing", "reg-outer-auth-tag", "reg-ext-critical", "reg-mode2"]

  static let names: [String] = {
    guard case .array(let entries)? = try? JSONValue(parsing: bytes(of: "index")) else { return [] }
    return entries.compactMap { entry in
      guard case .object(let object) = entry, case .string(let name)? = object["name"] else { return nil }
      return name
    }
  }()

  static let all: [Vector] = names.compactMap { try? Vector($0) }

  init(_ name: String) throws {
    guard case .object(let object) = try JSONValue(parsing: Self.bytes(of: name)) else {
      throw CocoaError(.coderReadCorrupt)
    }
    self.name = name
    json = object
  }

  private static func bytes(of name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return try Array(Data(contentsOf: folder.appending(path: "Vectors/uaf/\(name).json")))
  }

  var request: [UInt8] { json["request"]?.bytes ?? [] }
  var response: [UInt8] { json["response"]?.bytes ?? [] }
  var isRegistration: Bool { name.hasPrefix("reg") }

  func text(_ member: String) throws -> String {
    guard case .string(let text)? = json[member] else { throw CocoaError(.coderValueNotFound) }
    return text
  }

  func integer(_ member: String) throws -> Int64 {
    guard case .integer(let number)? = json[member] else { throw CocoaError(.coderValueNotFound) }
    return number
  }

  /// The bytes of the first assertion, found without the code under test.
  func assertion() throws -> [UInt8] {
    guard case .array(let versions)? = json["response"], case .object(let first)? = versions.first,
      case .array(let assertions)? = first["assertions"], case .object(let assertion)? = assertions.first,
      case .string(let text)? = assertion["assertion"]
    else { throw CocoaError(.coderValueNotFound) }
    return try Base64URL.decode(text, maximumCount: 4096)
  }
}
