import UAFMessages
import UAFService

/// The index of the search for accounts: for each pair of characters, the numbers of the accounts whose texts contain it.
///
/// A row has the members of one pair among 4,096 accounts that follow each other. So the index of a million accounts has some
/// hundred rows for a pair, and a search reads some kilobytes. It is the same on both engines, and needs no extension of
/// theirs. It changes in the transaction that changes the accounts; transactions that write run one after the other.
struct SearchIndex<Connection: SQLConnection> {
  /// The pairs of an account that are new, and those that it no longer has.
  struct Change {
    let number: Int64
    let added: Set<SearchGram>
    let removed: Set<SearchGram>
  }

  /// How many of a text's pairs are read: those with the fewest members.
  ///
  /// Each suggestion is looked at, so the other pairs are not needed to be right.
  private static var mostGrams: Int { 6 }
  /// The number of blocks that are read first.
  ///
  /// A frequent text is found there often enough; for a rare one, the number is doubled each time.
  private static var firstBlocks: Int64 { 8 }
  /// In how many of the newest blocks the members of pairs are counted, to find the pairs with the fewest.
  private static var counted: Int64 { 16 }

  let connection: Connection

  // MARK: Changing

  /// Adds and removes members.
  func change(_ changes: [Change]) throws {
    var added: [Int64: [SearchGram: [Int]]] = [:]
    var removed: [Int64: [SearchGram: [Int]]] = [:]
    for change in changes {
      let (block, place) = MemberBlock.place(of: change.number)
      for gram in change.added { added[block, default: [:]][gram, default: []].append(place) }
      for gram in change.removed { removed[block, default: [:]][gram, default: []].append(place) }
    }
    for block in Set(added.keys).union(removed.keys).sorted() {
      try change(block, added: added[block] ?? [:], removed: removed[block] ?? [:])
    }
  }

  private func change(_ block: Int64, added: [SearchGram: [Int]], removed: [SearchGram: [Int]]) throws {
    let grams = Set(added.keys).union(removed.keys)
    let stored = try connection.rows(
      """
      SELECT gram, members FROM accountGram
      WHERE block = ?1 AND gram IN (\(Connection.jsonNumbers.replacing("?", with: "?2")))
      """, [.integer(block), Self.list(grams.map(\.number))]
    ) { (SearchGram(number: try $0.integer(0)), try $0.requiredBytes(1)) }
    let known = Dictionary(stored) { first, _ in first }
    var (kept, empty): ([[SQLValue]], [[SQLValue]]) = ([], [])
    for gram in grams {
      var members = known[gram].map { MemberBlock($0) } ?? MemberBlock()
      for place in removed[gram] ?? [] { members.remove(place) }
      for place in added[gram] ?? [] { members.insert(place) }
      let key: [SQLValue] = [.integer(gram.number), .integer(block)]
      if members.isEmpty { empty.append(key) } else { kept.append(key + [.bytes(members.bytes)]) }
    }
    try connection.runEach("DELETE FROM accountGram WHERE gram = ?1 AND block = ?2", empty)
    try connection.runEach(
      """
      INSERT INTO accountGram (gram, block, members) VALUES (?1, ?2, ?3)
      ON CONFLICT (gram, block) DO UPDATE SET members = excluded.members
      """, kept)
  }

  /// Makes the whole index again, after accounts were stored without it.
  func rebuild() throws {
    try connection.run("DELETE FROM accountGram")
    let last = try connection.requiredRow("SELECT coalesce(max(\(Connection.rowNumber)), 0) FROM account") {
      try $0.integer(0)
    }
    for block in 0...MemberBlock.place(of: last).block {
      var all: [SearchGram: MemberBlock] = [:]
      let numbers = MemberBlock.numbers(of: block)
      let accounts = try connection.rows(
        """
        SELECT \(ProfileTable<Connection>.columns) FROM account
        WHERE \(Connection.rowNumber) >= ?1 AND \(Connection.rowNumber) < ?2
        """, [.integer(numbers.lowerBound), .integer(numbers.upperBound)], ProfileTable<Connection>.account)
      for account in accounts {
        let place = MemberBlock.place(of: account.number).place
        for gram in SearchGram.all(account.username, account.profile) {
          all[gram, default: MemberBlock()].insert(place)
        }
      }
      try connection.runEach(
        "INSERT INTO accountGram (gram, block, members) VALUES (?1, ?2, ?3)",
        all.sorted { $0.key.number < $1.key.number }.map { gram, members in
          [.integer(gram.number), .integer(block), .bytes(members.bytes)]
        })
    }
  }

  // MARK: Searching

  /// Suggests accounts whose texts may contain a text, in the order of their numbers.
  ///
  /// - Parameters:
  ///   - number: accounts with higher numbers.
  ///   - body: is given some of them, and returns whether it wants more.
  func suggest(_ text: SearchText, after number: Int64, _ body: ([Int64]) throws -> Bool) throws {
    let last = try connection.requiredRow("SELECT coalesce(max(\(Connection.rowNumber)), 0) FROM account") {
      try $0.integer(0)
    }
    let end = MemberBlock.place(of: last).block
    guard last > number, let condition = try condition(text, countedTo: end) else { return }
    var (block, count) = (MemberBlock.place(of: number + 1).block, Self.firstBlocks)
    while block <= end {
      let found = try blocks(condition, from: block, to: min(end, block + count - 1))
      for (block, members) in found.sorted(by: { $0.key < $1.key }) {
        let numbers = members.places.map { MemberBlock.number(block, $0) }.filter { $0 > number }
        guard try numbers.isEmpty || body(numbers) else { return }
      }
      (block, count) = (block + count, count * 2)
    }
  }

  /// The pairs by which accounts are suggested.
  private enum Condition {
    /// Accounts with all of these.
    case all([SearchGram])
    /// Accounts with any of the pairs with these numbers.
    case any(Range<Int64>)
  }

  /// - Parameter last: the newest block.
  /// - Returns: nil for a text without characters.
  private func condition(_ text: SearchText, countedTo last: Int64) throws -> Condition? {
    let grams = SearchGram.sought(text)
    guard !grams.isEmpty else {
      return text.folded.unicodeScalars.first.map { .any(SearchGram.numbers(beginningWith: $0)) }
    }
    guard grams.count > Self.mostGrams else { return .all(Array(grams)) }
    let sizes = try connection.rows(
      """
      SELECT gram, sum(length(members)) FROM accountGram
      WHERE gram IN (\(Connection.jsonNumbers.replacing("?", with: "?1"))) AND block > ?2 GROUP BY gram
      """, [Self.list(grams.map(\.number)), .integer(last - Self.counted)]
    ) { (SearchGram(number: try $0.integer(0)), try $0.integer(1) as Int64) }
    // A pair that has no members there is rare, or no account has it.
    let size = Dictionary(sizes) { first, _ in first }
    return .all(Array(grams.sorted { (size[$0] ?? 0, $0.number) < (size[$1] ?? 0, $1.number) }.prefix(Self.mostGrams)))
  }

  private func blocks(_ condition: Condition, from first: Int64, to last: Int64) throws -> [Int64: MemberBlock] {
    switch condition {
    case .any(let numbers):
      return try rows(
        "gram >= ?3 AND gram < ?4", first, last, [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
      ).mapValues { $0.reduce(into: MemberBlock()) { $0.formUnion($1) } }
    case .all(let grams):
      return try rows(
        "gram IN (\(Connection.jsonNumbers.replacing("?", with: "?3")))", first, last, [Self.list(grams.map(\.number))]
      ).compactMapValues { found in
        guard found.count == grams.count, var common = found.first else { return nil }
        for members in found.dropFirst() { common.formIntersection(members) }
        return common.isEmpty ? nil : common
      }
    }
  }

  private func rows(
    _ condition: String, _ first: Int64, _ last: Int64, _ values: [SQLValue]
  ) throws -> [Int64: [MemberBlock]] {
    let found = try connection.rows(
      "SELECT block, members FROM accountGram WHERE \(condition) AND block >= ?1 AND block <= ?2",
      [.integer(first), .integer(last)] + values
    ) { (block: try $0.integer(0) as Int64, members: MemberBlock(try $0.requiredBytes(1))) }
    return Dictionary(grouping: found, by: \.block).mapValues { $0.map(\.members) }
  }

  private static func list(_ numbers: [Int64]) -> SQLValue {
    .text(JSONValue.array(numbers.sorted().map(JSONValue.integer)).text)
  }
}

/// Which of 4,096 accounts that follow each other have a pair of characters.
///
/// Up to 255 members are stored as a list of their places, two bytes each; more as 512 bytes, with a bit for each place.
struct MemberBlock: Equatable {
  private static let bits: Int64 = 12
  private static let words = 64
  private static let bitmapBytes = 512

  private var bitmap = [UInt64](repeating: 0, count: words)

  init() {}

  /// Reads what ``bytes`` writes; ignores places that do not exist.
  init(_ bytes: [UInt8]) {
    if bytes.count == Self.bitmapBytes {
      for (index, byte) in bytes.enumerated() { bitmap[index / 8] |= UInt64(byte) << UInt64(index % 8 * 8) }
    } else {
      for index in stride(from: 0, to: bytes.count - 1, by: 2) {
        insert(Int(bytes[index]) << 8 | Int(bytes[index + 1]))
      }
    }
  }

  static func place(of number: Int64) -> (block: Int64, place: Int) {
    (number >> bits, Int(number & (1 << bits - 1)))
  }

  static func number(_ block: Int64, _ place: Int) -> Int64 { block << bits | Int64(place) }

  /// The numbers of the accounts of a block.
  static func numbers(of block: Int64) -> Range<Int64> { block << bits..<(block + 1) << bits }

  var isEmpty: Bool { bitmap.allSatisfy { $0 == 0 } }

  /// The places of the members, in their order.
  var places: [Int] {
    var places: [Int] = []
    for (index, word) in bitmap.enumerated() {
      var rest = word
      while rest != 0 {
        places.append(index * 64 + rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
    return places
  }

  var bytes: [UInt8] {
    if bitmap.reduce(0, { $0 + $1.nonzeroBitCount }) * 2 < Self.bitmapBytes {
      return places.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }
    return bitmap.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) } }
  }

  mutating func insert(_ place: Int) {
    guard (0..<Self.words * 64).contains(place) else { return }
    bitmap[place / 64] |= 1 << UInt64(place % 64)
  }

  mutating func remove(_ place: Int) {
    guard (0..<Self.words * 64).contains(place) else { return }
    bitmap[place / 64] &= ~(1 << UInt64(place % 64))
  }

  mutating func formUnion(_ other: MemberBlock) { for index in bitmap.indices { bitmap[index] |= other.bitmap[index] } }

  mutating func formIntersection(_ other: MemberBlock) {
    for index in bitmap.indices { bitmap[index] &= other.bitmap[index] }
  }
}
