/// Chooses among the dictionaries of a UAF message.
enum VersionedMessage {
  /// The dictionary of the highest supported version, and its place in the array.
  static func select(from message: JSONValue) throws(MessageError) -> (JSONValue, path: String) {
    let versions = try message.list(path: "message", mayBeEmpty: false) {
      (json, path) throws(MessageError) -> (UPV, JSONValue, String) in
      let header = try MemberReader(json, path: path).required("header")
      return (try MemberReader(header, path: "\(path).header").child("upv", as: UPV.self), json, path)
    }
    guard Set(versions.map(\.0)).count == versions.count else { throw .repeatedVersion }
    let ours = versions.filter { UPV.supported.contains($0.0) }
    guard let chosen = ours.max(by: { $0.0 < $1.0 }) else { throw .unsupportedVersion }
    return (chosen.1, chosen.2)
  }
}
