/// Tells whether a name is new in an object that is being read.
struct MemberNames {
  /// So many names are compared one by one, which is faster than to keep a set of them.
  private static let few = 16

  private var names: Set<[UInt8]> = []

  /// Whether a name is none of the members before it, byte by byte.
  ///
  /// - Parameter members: all members before it; each was new.
  mutating func isNew(_ name: String, beside members: [JSONObject.Member]) -> Bool {
    guard members.count >= Self.few else { return !members.contains { $0.name.isIdentical(to: name) } }
    if names.isEmpty { names = Set(members.map { Array($0.name.utf8) }) }
    return names.insert(Array(name.utf8)).inserted
  }
}
