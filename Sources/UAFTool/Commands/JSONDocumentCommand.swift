/// A subcommand that prints one JSON object with `--json`: what it was asked for, or how it failed.
protocol JSONDocumentCommand: Subcommand {
  /// `--json`.
  var json: Bool { get }
}
