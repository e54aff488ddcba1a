/// How many accounts have each key shape.
struct KeyShapes: Equatable, Codable, Sendable {
  /// One shape, and how many of the accounts that were looked at have it.
  struct Entry: Equatable, Codable, Sendable {
    let shape: KeyShape
    let count: Int
  }

  /// In the order of ``KeyShape/precedes(_:_:)``.
  let entries: [Entry]

  init(_ shapes: [KeyShape]) {
    let counts = shapes.reduce(into: [KeyShape: Int]()) { $0[$1, default: 0] += 1 }
    entries = counts.sorted { KeyShape.precedes($0.key, $1.key) }.map { Entry(shape: $0.key, count: $0.value) }
  }

  /// The shape at a place of the distribution; nil if no shape will do.
  ///
  /// - Parameters:
  ///   - place: the name's number; those of many names are evenly distributed over all 64-bit numbers.
  ///   - willDo: which shapes may be returned.
  func shape(at place: UInt64, where willDo: (KeyShape) -> Bool) -> KeyShape? {
    let entries = entries.filter { willDo($0.shape) }
    let total = entries.reduce(UInt64(0)) { $0 + UInt64(clamping: $1.count) }
    var rest = place.multipliedFullWidth(by: total).high
    for entry in entries {
      let count = UInt64(clamping: entry.count)
      if rest < count { return entry.shape }
      rest -= count
    }
    return nil
  }

  /// The most keys of one model that an account has; 0 without accounts.
  var mostOfOneModel: Int {
    entries.lazy.flatMap(\.shape.models).map(\.lengths.count).max() ?? 0
  }

  /// Whether these must replace the shapes that were used until now.
  ///
  /// Each replacement gives some decoys another shape, and real accounts seldom change theirs. So a change of up to a
  /// tenth of the accounts waits. A new shape does not wait: if only real accounts had it, it would show that they are real.
  func replace(_ others: KeyShapes) -> Bool {
    let (own, theirs) = (shares, others.shares)
    if own.keys.contains(where: { theirs[$0] == nil }) { return true }
    let moved = Set(own.keys).union(theirs.keys).reduce(0) { $0 + abs((own[$1] ?? 0) - (theirs[$1] ?? 0)) }
    return moved / 2 > 0.1
  }

  private var shares: [KeyShape: Double] {
    let total = Double(entries.reduce(0) { $0 + $1.count })
    return entries.reduce(into: [:]) { $0[$1.shape] = Double($1.count) / total }
  }
}
