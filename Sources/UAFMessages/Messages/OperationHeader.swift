/// The header of every UAF message (UAF protocol 1.1, section 3.1.3).
public struct OperationHeader: JSONRepresentable, Equatable, Sendable {
  /// The protocol version.
  public let upv: UPV

  /// The operation.
  public let op: UAFOperation

  /// The application, at most 512 characters; nil or empty stands for the caller's own FacetID.
  public let appID: String?

  /// The server's session data, 1 to 1536 characters, sent back unchanged.
  public let serverData: String?

  /// Extensions.
  public let exts: [Extension]

  /// Makes a header.
  public init(upv: UPV, op: UAFOperation, appID: String?, serverData: String? = nil, exts: [Extension] = []) {
    self.upv = upv
    self.op = op
    self.appID = appID
    self.serverData = serverData
    self.exts = exts
  }

  /// Reads a header of any version; messages refuse versions that are not supported.
  public init(json: JSONValue, path: String) throws(MessageError) {
    let reader = try MemberReader(json, path: path, nullIsAbsent: true)
    upv = try reader.child("upv", as: UPV.self)
    op = try reader.child("op", as: UAFOperation.self)
    appID = try reader.optionalString("appID", characters: 0...512)
    let serverData = try reader.optionalString("serverData", characters: 0...1536)
    self.serverData = serverData?.isEmpty == true ? nil : serverData
    exts =
      try reader.optionalList("exts", mayBeEmpty: true) { (value, path) throws(MessageError) in
        try Extension(json: value, path: path, known: Self.knownExtensions)
      } ?? []
  }

  /// The extensions with a meaning in a header; in other places none has one.
  private static let knownExtensions = [UserVerificationMethodEntry.extensionID]

  /// Whether the message asks how the person is verified.
  public var asksForVerificationMethods: Bool {
    exts.contains { $0.id.isIdentical(to: UserVerificationMethodEntry.extensionID) }
  }

  /// The header as JSON.
  public var json: JSONValue {
    var object: JSONObject = ["upv": upv.json, "op": op.json]
    object.set("appID", appID.map(JSONValue.string))
    object.set("serverData", serverData.map(JSONValue.string))
    object.set("exts", JSONValue.list(exts))
    return .object(object)
  }

  /// Equality of identifiers is by bytes.
  public static func == (left: OperationHeader, right: OperationHeader) -> Bool {
    left.upv == right.upv && left.op == right.op && left.exts == right.exts
      && left.json.bytes == right.json.bytes
  }
}

extension OperationHeader {
  /// The header among a message's members, which must be of this operation and of a version that we speak.
  static func read(_ operation: UAFOperation, from reader: MemberReader) throws(MessageError) -> OperationHeader {
    let header = try reader.child("header", as: OperationHeader.self)
    guard UPV.supported.contains(header.upv) else { throw .unsupportedVersion }
    guard header.op == operation else { throw .wrongOperation }
    return header
  }
}
