import Doctor
import UAFWire

extension Finished {
  /// The document with which a *status* ended.
  ///
  /// - Throws: ``ToolError/core(_:)`` for one that cannot be read.
  func statusDocument() throws(ToolError) -> StatusDocument {
    guard let document = StatusDocument(parsing: document ?? "") else { throw .core(.confused(.statusDocument)) }
    return document
  }
}
