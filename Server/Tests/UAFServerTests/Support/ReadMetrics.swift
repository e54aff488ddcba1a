import Testing

/// A page of metrics, read strictly: one family after the other, each with its help, then its type, then its samples.
struct ReadMetrics {
  /// The value of each sample, by the sample's name and labels as they are on the page.
  private(set) var values: [String: Double] = [:]

  init(_ page: String) throws {
    var family = ""
    var families: Set<Substring> = []
    try #require(page.hasSuffix("\n"))
    for line in page.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 3)
      if line.hasPrefix("# HELP ") {
        try #require(words.count == 4 && families.insert(words[2]).inserted, "\(line)")
        family = String(words[2])
      } else if line.hasPrefix("# TYPE ") {
        try #require(words.count == 4 && words[2] == family, "\(line)")
        try #require(["counter", "gauge", "histogram"].contains(words[3]), "\(line)")
      } else {
        let space = try #require(line.lastIndex(of: " "), "\(line)")
        let key = String(line[..<space])
        let name = key.prefix { $0 != "{" }
        let ends = ["", "_bucket", "_sum", "_count"]
        try #require(ends.contains { name == family + $0 }, "\(line)")
        let value = try #require(Double(line[line.index(after: space)...]), "\(line)")
        try #require(values.updateValue(value, forKey: key) == nil, "\(line)")
      }
    }
  }

  subscript(_ key: String) -> Double? { values[key] }
}
