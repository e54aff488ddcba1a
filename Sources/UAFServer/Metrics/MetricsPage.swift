/// A page of metrics in the text format of Prometheus, version 0.0.4 ("Exposition formats" of its documentation).
///
/// Names, labels and values of labels are of this program: none comes from a request, so none has to be escaped.
struct MetricsPage {
  /// The media type of the format.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  typealias Labels = [(name: String, value: String)]

  private(set) var text = ""

  /// Begins a family; its values follow, and no other family's between them.
  mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// Adds a value of the family that has begun.
  mutating func add(_ name: String, _ labels: Labels = [], _ value: some Numeric & CustomStringConvertible) {
    text += "\(name)\(Self.written(labels)) \(value)\n"
  }

  /// Adds a family of one value.
  mutating func single(
    _ name: String, _ kind: Kind, _ help: String, _ value: some Numeric & CustomStringConvertible
  ) {
    begin(name, kind, help)
    add(name, [], value)
  }

  /// Adds a histogram of the family that has begun.
  mutating func add(_ name: String, _ labels: Labels, _ histogram: DurationHistogram) {
    let (atMost, count, seconds) = histogram.figures
    for (bound, value) in zip(DurationHistogram.bounds, atMost) {
      add("\(name)_bucket", labels + [("le", "\(bound / .seconds(1))")], value)
    }
    add("\(name)_bucket", labels + [("le", "+Inf")], count)
    add("\(name)_sum", labels, seconds)
    add("\(name)_count", labels, count)
  }

  private static func written(_ labels: Labels) -> String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",") + "}"
  }
}
