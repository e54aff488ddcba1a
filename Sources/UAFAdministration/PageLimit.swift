/// How many rows a page has.
package enum PageLimit {
  /// Unless somebody asks for another number.
  package static let standard = 50
  package static let maximum = 200

  /// - Throws: ``AdministrationRefusal/invalid(field:reason:)``.
  static func check(_ limit: Int) throws(AdministrationRefusal) {
    guard (1...maximum).contains(limit) else {
      throw .invalid(field: "limit", reason: "must be 1 to \(maximum)")
    }
  }
}

extension Page {
  /// Makes a page of what was read: one row more than it has says that another page follows.
  init(_ rows: [Row], limit: Int, key: (Row) -> String) {
    let shown = Array(rows.prefix(limit))
    self.init(rows: shown, next: rows.count > limit ? shown.last.map(key) : nil)
  }
}
