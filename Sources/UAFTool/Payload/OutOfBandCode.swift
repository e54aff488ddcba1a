import UAFMessages
import UAFWire

/// A code that contains its purpose: a registration, or the approval of a login elsewhere.
struct OutOfBandCode {
  /// What it asks for.
  let operation: UAFWire.Operation
  private let line: [UInt8]

  /// Reads a code's one line.
  ///
  /// - Throws: ``ToolError/payload(_:)`` for what is no code, or asks for what no code may.
  init(_ line: [UInt8]) throws(ToolError) {
    self.line = line
    let content: EnrolmentPayload
    do throws(MessageError) {
      content = try EnrolmentPayload(encoded: String(decoding: line, as: UTF8.self))
    } catch {
      throw .payload(.notUnderstood(.message(error)))
    }
    switch content.op {
    case .registration: operation = .register
    case .authentication: operation = .authenticate
    default: throw .payload(.notUnderstood(.operation(content.op.rawValue)))
    }
  }

  /// What the core is asked for.
  ///
  /// - Parameter denies: whether the approval is denied.
  /// - Throws: ``ToolError/payload(_:)`` for a denial of what is no approval.
  func request(for user: String?, denies: Bool) throws(ToolError) -> Request {
    if denies, operation != .authenticate { throw .payload(.notUnderstood(.registrationDenied)) }
    var request = Request(operation)
    request.user = user
    request.payload = line
    request.denies = denies
    return request
  }
}
