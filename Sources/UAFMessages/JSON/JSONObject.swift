/// The members of a JSON object in the order they were sent.
///
/// Names are compared byte by byte: for Swift's own string equality a Kelvin sign is the letter K.
public struct JSONObject: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// One name and its value.
  public struct Member: Equatable, Sendable {
    /// The name, unescaped.
    public let name: String
    /// The value.
    public let value: JSONValue
  }

  /// The members in order; no name occurs twice in an object that was read.
  public private(set) var members: [Member]

  /// Makes an object without members.
  public init() {
    members = []
  }

  /// Makes an object of the given members; a later member of the same name replaces the earlier one.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    members = []
    members.reserveCapacity(elements.count)
    for (name, value) in elements { set(name, value) }
  }

  init(uniqueMembers: [Member]) {
    members = uniqueMembers
  }

  /// The value of a member, or nil if there is none of that name.
  public subscript(name: String) -> JSONValue? {
    index(of: name).map { members[$0].value }
  }

  /// Adds a member, or replaces the one of that name; nil adds nothing.
  public mutating func set(_ name: String, _ value: JSONValue?) {
    guard let value else { return }
    let member = Member(name: name, value: value)
    if let index = index(of: name) {
      members[index] = member
    } else {
      members.append(member)
    }
  }

  /// Where a member stands; the members are compared in place, since a copy of one would hold its name and its value.
  private func index(of name: String) -> Int? {
    for index in members.indices where members[index].name.isIdentical(to: name) { return index }
    return nil
  }
}
