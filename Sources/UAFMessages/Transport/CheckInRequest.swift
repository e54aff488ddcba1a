/// What a machine that has joined sends to tell its server how it is; our own (PROTOCOL.md, "Check-in").
public struct CheckInRequest: JSONRepresentable, Equatable, Sendable {
  /// The longest body in bytes.
  public static let maximumBytes = 16_384

  /// What the machine tells.
  public let report: MachineReport

  /// Makes a request.
  public init(_ report: MachineReport) { self.report = report }

  /// Reads the body.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path)
    guard try reader.integer("v", as: Int64.self) == Self.version else { throw .unsupportedVersion }
    report = try reader.child("report", as: MachineReport.self)
  }

  /// The body as JSON.
  public var json: JSONValue { .object(["v": .integer(Self.version), "report": report.json]) }

  /// The same with so little of the report that the body is not too long.
  ///
  /// The last logins are left for the next report, and then locks are counted instead of named.
  public var fitting: CheckInRequest {
    var report = report
    while CheckInRequest(report).jsonBytes.count > Self.maximumBytes {
      if report.offlineLogins.popLast() != nil { continue }
      guard report.locks.popLast() != nil else { break }
      report.moreLocks += 1
    }
    return CheckInRequest(report)
  }

  private static let version: Int64 = 1
}
