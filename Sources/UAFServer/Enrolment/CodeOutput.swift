import UAFMessages

/// One of the places that the codes of a list go to.
///
/// Each makes something new for its owner alone, and writes over nothing.
protocol CodeOutput {
  /// As the person named it.
  var path: String { get }

  /// Adds codes, and waits until they are on the disk.
  ///
  /// - Throws: ``ServerError/unusableFile(path:reason:)``, or what making them into text throws.
  func add(_ codes: [EnrolmentPayload]) throws

  /// Adds what comes behind the last code.
  func finish() throws

  /// Removes what was made, as long as no code was added.
  func remove()
}
