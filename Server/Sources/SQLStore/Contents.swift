import UAFService

/// All tables, for moving what they hold, but for reading and adding rows, and for what numbers them: that each engine does in
/// its own way.
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
    // The names are those of this program.
    let rest = name == "setting" ? " WHERE name <> '\(SettingName.unfinishedImport.rawValue)'" : ""
    return try connection.requiredRow("SELECT EXISTS (SELECT 1 FROM \(name)\(rest))") { try $0.boolean(0) }
  }

  package func count(_ table: MovedTable) throws -> Int64 {
    try connection.requiredRow("SELECT count(*) FROM \(table.name) WHERE \(Self.condition(table))") {
      try $0.integer(0)
    }
  }

  /// Removes all rows but the mark of an import.
  ///
  /// - Throws: the engine's ``StoreFailure``.
  package func removeRows() throws {
    for name in MovedTable.left + MovedTable.all.reversed().map(\.name) where name != "setting" {
      try connection.run("DELETE FROM \(name)")
    }
    try connection.run("DELETE FROM setting WHERE name <> ?1", [.text(SettingName.unfinishedImport.rawValue)])
  }

  /// The rows of a table that are moved, as a condition.
  package static func condition(_ table: MovedTable) -> String {
    guard let keys = table.keys else { return "true" }
    return "\(table.columns[0].name) IN (\(keys.map { "'\($0)'" }.joined(separator: ", ")))"
  }
}
