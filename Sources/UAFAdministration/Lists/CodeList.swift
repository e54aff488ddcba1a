import UAFMessages

/// The codes of a list of people as CSV: a line for each code, after one with titles.
package enum CodeList {
  package static let header = "username,expires,code\n"

  /// The lines of codes; `expires` is in seconds since 1970.
  ///
  /// A name that a spreadsheet would compute has an apostrophe before it.
  package static func lines(_ codes: [EnrolmentPayload]) -> String {
    codes.map { CSVLine.written([$0.username, String($0.expires), $0.encoded]) }.joined()
  }
}
