import UAFService

/// The part of ``StoreContents`` that is the same for all engines.
///
/// Reading, adding and numbering rows is different for each.
package protocol SQLContents: StoreContents, SendableMetatype {
  associatedtype Engine: SQLConnection

  var connection: Engine { get }
}

extension SQLContents {
  package func isEmpty() throws -> Bool {
    for name in MovedTable.all.map(\.name) + MovedTable.left where try hasRows(name) { return false }
    return true
  }

  private func hasRows(_ name: String) throws -> Bool {
    // The names are constants of this program, so they need not be escaped.
    let rest = name == "setting" ? " WHERE name <> '\(SettingName.unfinishedImport.rawValue)'" : ""
    return try connection.requiredRow("SELECT EXISTS (SELECT 1 FROM \(name)\(rest))") { try $0.boolean(0) }
  }

  package func count(_ table: MovedTable) throws -> Int64 {
    try connection.requiredRow("SELECT count(*) FROM \(table.name) WHERE \(Self.condition(table))") {
      try $0.integer(0)
    }
  }

  /// Removes all rows except the id of an unfinished import.
  ///
  /// - Throws: the engine's ``StoreFailure``.
  package func removeRows() throws {
    for name in MovedTable.left + MovedTable.all.reversed().map(\.name) where name != "setting" {
      try connection.run("DELETE FROM \(name)")
    }
    try connection.run("DELETE FROM setting WHERE name <> ?1", [.text(SettingName.unfinishedImport.rawValue)])
  }

  /// The condition for the rows of a table that are moved.
  package static func condition(_ table: MovedTable) -> String {
    guard let keys = table.keys else { return "true" }
    return "\(table.columns[0].name) IN (\(keys.map { "'\($0)'" }.joined(separator: ", ")))"
  }
}
