/// A way to the core.
protocol CoreSource {
  /// A fresh connection.
  ///
  /// - Parameter startsOwn: whether a core is to be started for this call alone, even where a socket is served.
  /// - Throws: ``ToolError/core(_:)``.
  func connect(startsOwn: Bool) throws(ToolError) -> CoreConnection
}
