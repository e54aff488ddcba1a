/// All that a store holds, row by row, for moving it to another store.
package protocol StoreContents {
  /// Whether the store has nothing at all, apart from the mark of an unfinished import.
  func isEmpty() throws -> Bool

  /// How many rows of a table are moved.
  func count(_ table: MovedTable) throws -> Int64

  /// Rows in the order of their keys, with a value for each of the table's columns.
  ///
  /// - Parameters:
  ///   - key: rows that come after it; nil for the first ones.
  ///   - limit: how many at most.
  /// - Throws: also if what is stored is no text in UTF-8, or no number of 64 bits.
  func rows(_ table: MovedTable, after key: MovedValue?, limit: Int) throws -> [[MovedValue]]

  /// Adds rows as they are.
  ///
  /// - Parameter rows: in the order of their keys, each with a value for each of the table's columns.
  func add(_ rows: [[MovedValue]], to table: MovedTable) throws

  /// Has what is added later come after what is there: numbers that the engine gives, and the end of the audit's chain.
  func continueNumbers() throws

  /// Removes everything, apart from the mark of an unfinished import.
  func removeAll() throws
}
