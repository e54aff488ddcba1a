import UAFMessages

/// One entry of a directory, as it was received.
package struct DirectoryEntry: Equatable, Sendable {
  package let dn: String
  /// The values of each attribute, by its name in lower case, in the order in which they came.
  package fileprivate(set) var values: [String: [[UInt8]]] = [:]
  /// The attributes of which the directory has sent only some values (`member;range=0-1499`), in lower case.
  package fileprivate(set) var incomplete: Set<String> = []

  package init(dn: String, values: [String: [[UInt8]]] = [:], incomplete: Set<String> = []) {
    self.dn = dn
    self.values = values
    self.incomplete = incomplete
  }
}

/// Reads entries in LDIF (RFC 2849), the form in which ldapsearch prints them, as they arrive.
///
/// It reads the content of a directory and nothing else: a record with changes, and a value that is in a file elsewhere
/// (`jpegPhoto:< file:///...`), are refused.
package struct LDIFReader {
  /// The longest line in bytes, after lines that continue it.
  package static let maximumLine = 65_536
  /// The most values of one entry: members of a group.
  package static let maximumValues = 200_000
  /// The longest entry in bytes, as it is written: 32 MiB.
  package static let maximumEntry = 33_554_432

  private let maximumEntry: Int
  /// The line that may still be continued, and its number.
  private var line: [UInt8] = []
  private var lineNumber = 0
  /// The beginning of a line whose end has not arrived.
  private var rest: [UInt8] = []
  /// The number of the last line that has arrived, from 1.
  private var number = 0
  private var entry: DirectoryEntry?
  private var count = 0
  /// The bytes of the entry's lines.
  private var size = 0

  package init(maximumEntry: Int = Self.maximumEntry) { self.maximumEntry = maximumEntry }

  /// Reads a part of the text, wherever it was cut.
  ///
  /// - Returns: the entries that are complete.
  /// - Throws: ``DirectoryProblem/notLDIF(line:)``; ``DirectoryProblem/largeEntry(dn:values:bytes:)``. The reader cannot be
  ///   used any longer then.
  package mutating func received(_ bytes: some Sequence<UInt8>) throws(DirectoryProblem) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        guard rest.count < Self.maximumLine else { throw .notLDIF(line: number + 1) }
        rest.append(byte)
        continue
      }
      number += 1
      if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
      if let ended = try nextLine() { entries.append(ended) }
      rest.removeAll(keepingCapacity: true)
    }
    return entries
  }

  /// Ends the text.
  ///
  /// - Returns: the last entry, if no empty line has followed it.
  /// - Throws: ``DirectoryProblem/notLDIF(line:)`` if the text ends within a line; otherwise as ``received(_:)``.
  package mutating func end() throws(DirectoryProblem) -> DirectoryEntry? {
    guard rest.isEmpty else { throw .notLDIF(line: number + 1) }
    try takeLine()
    defer { entry = nil }
    return entry
  }

  /// Takes the line that has arrived; returns the entry that it ends.
  private mutating func nextLine() throws(DirectoryProblem) -> DirectoryEntry? {
    if rest.first == UInt8(ascii: " ") {
      guard !line.isEmpty, line.count + rest.count <= Self.maximumLine else { throw .notLDIF(line: number) }
      line += rest.dropFirst()
      return nil
    }
    try takeLine()
    (line, lineNumber) = (rest, number)
    guard rest.isEmpty else { return nil }
    defer { entry = nil }
    return entry
  }

  /// Reads the line that is complete now.
  private mutating func takeLine() throws(DirectoryProblem) {
    defer { line = [] }
    guard !line.isEmpty, line[0] != UInt8(ascii: "#") else { return }
    let wrong = DirectoryProblem.notLDIF(line: lineNumber)
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw wrong }
    let value = try Self.value(line[(colon + 1)...], orElse: wrong)
    let parts = line[..<colon].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let name = String(decoding: parts[0], as: UTF8.self).lowercased()
    guard AttributeName.isValid(name) else { throw wrong }
    guard let dn = entry?.dn else {
      guard name == "dn", parts.count == 1, let dn = String(validating: value, as: UTF8.self), !dn.isEmpty else {
        throw wrong
      }
      entry = DirectoryEntry(dn: dn)
      (count, size) = (0, line.count)
      return
    }
    (count, size) = (count + 1, size + line.count)
    guard count <= Self.maximumValues, size <= maximumEntry else {
      throw .largeEntry(dn: dn, values: Self.maximumValues, bytes: maximumEntry)
    }
    guard name != "dn", name != "changetype" else { throw wrong }
    // A value with an option is a different attribute (RFC 4512, section 2.5), such as a name in one language.
    guard parts.count > 1 else {
      entry?.values[name, default: []].append(value)
      return
    }
    if parts.dropFirst().contains(where: { String(decoding: $0, as: UTF8.self).lowercased().hasPrefix("range=") }) {
      entry?.incomplete.insert(name)
    }
  }

  /// What follows the first colon of a line: a value, or one in Base64 after a second colon.
  private static func value(
    _ bytes: ArraySlice<UInt8>, orElse wrong: DirectoryProblem
  ) throws(DirectoryProblem) -> [UInt8] {
    guard bytes.first != UInt8(ascii: "<") else { throw wrong }
    guard bytes.first == UInt8(ascii: ":") else { return Array(bytes.drop { $0 == UInt8(ascii: " ") }) }
    let text = String(decoding: bytes.dropFirst().drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    do throws(Base64URLError) { return try Base64.decode(text, maximumCount: maximumLine) } catch { throw wrong }
  }
}
