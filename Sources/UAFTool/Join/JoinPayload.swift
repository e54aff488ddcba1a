import UAFConfiguration
import UAFCrypto
import UAFMessages

/// A machine payload as it was read, with what the administrator expects of it.
struct JoinPayload {
  /// What it says.
  let payload: MachinePayload
  /// The same as the core takes it.
  let line: [UInt8]
  /// The fingerprint of the server, 64 hex digits.
  let fingerprint: String

  /// Reads a payload's one line.
  ///
  /// - Throws: ``ToolError/join(_:)`` for what is no machine payload.
  init(_ line: [UInt8]) throws(ToolError) {
    self.line = line
    do throws(MessageError) {
      payload = try MachinePayload(encoded: String(decoding: line, as: UTF8.self))
    } catch {
      throw .join(.notUnderstood(.message(error)))
    }
    guard ServerURL(payload.server + "/") != nil, !payload.server.contains(where: { "'?{".contains($0) }) else {
      throw .join(.notUnderstood(.message(.outOfRange("payload.server"))))
    }
    guard let hash = try? SHA256.hash(payload.fingerprinted) else { throw .outOfMemory }
    let digits = Array("0123456789abcdef".utf8)
    fingerprint = String(decoding: hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Refuses a payload of another server or group than the administrator has named.
  ///
  /// - Parameters:
  ///   - fingerprint: hex digits, in groups or not; nil for any server.
  ///   - group: nil for any group.
  /// - Throws: ``ToolError/join(_:)``.
  func require(fingerprint: String?, group: String?) throws(ToolError) {
    if let fingerprint {
      let digits = fingerprint.lowercased().filter { $0 != ":" && $0 != " " }
      guard digits == self.fingerprint else { throw .join(.otherFingerprint(self.fingerprint)) }
    }
    if let group, group != payload.group.name { throw .join(.otherGroup(payload.group.name)) }
  }
}
