@testable import UAFService

/// A store's contents that change while they are exported: somebody writes after the first page of a table was read.
struct ContentsWithWriter: StoreContents {
  let contents: any StoreContents
  let after: MovedTable
  let write: () throws -> Void

  func isEmpty() throws -> Bool { try contents.isEmpty() }

  func count(_ table: MovedTable) throws -> Int64 { try contents.count(table) }

  func rows(_ table: MovedTable, after key: MovedValue?, limit: Int) throws -> [[MovedValue]] {
    let rows = try contents.rows(table, after: key, limit: limit)
    if table == after, key == nil { try write() }
    return rows
  }

  func add(_ rows: [[MovedValue]], to table: MovedTable) throws { try contents.add(rows, to: table) }

  func continueNumbers() throws { try contents.continueNumbers() }

  func removeAll() throws { try contents.removeAll() }
}
