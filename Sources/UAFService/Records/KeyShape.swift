/// What a request for an authentication shows of an account's keys: their models, how many there are of each, and how long their
/// KeyIDs are.
package struct KeyShape: Hashable, Codable, Sendable {
  /// The keys of one model, oldest first.
  package struct Model: Hashable, Codable, Sendable {
    let aaid: String
    /// Bytes of each KeyID.
    let lengths: [Int]
  }

  /// In ascending order of AAID.
  let models: [Model]

  /// Takes the keys of an account, oldest first.
  package init(_ keys: [(aaid: String, length: Int)]) {
    var lengths: [String: [Int]] = [:]
    for key in keys { lengths[key.aaid.lowercased(), default: []].append(key.length) }
    models = lengths.sorted { $0.key < $1.key }.map { Model(aaid: $0.key, lengths: $0.value) }
  }

  /// The order of shapes: fewer keys first.
  ///
  /// So the neighbours of a shape are those that one key more or less makes of it.
  static func precedes(_ one: KeyShape, _ other: KeyShape) -> Bool {
    one.place.lexicographicallyPrecedes(other.place)
  }

  private var place: [[UInt8]] {
    let count = models.reduce(0) { $0 + $1.lengths.count }
    let numbers = { (number: Int) -> [UInt8] in
      [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    return [numbers(count)] + models.flatMap { [Array($0.aaid.utf8)] + $0.lengths.map(numbers) }
  }
}

extension [[UInt8]] {
  fileprivate func lexicographicallyPrecedes(_ other: [[UInt8]]) -> Bool {
    lexicographicallyPrecedes(other) { $0.lexicographicallyPrecedes($1) }
  }
}
