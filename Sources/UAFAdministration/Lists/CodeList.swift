import UAFMessages

/// The codes of a list of people as CSV: a line for each code, after one with titles.
package enum CodeList {
  package static let header = "username,expires,code\n"

  /// The lines of codes; `expires` is in seconds since 1970.
  package static func lines(_ codes: [EnrolmentPayload]) -> String {
    codes.map { code in
      [code.username, String(code.expires), code.encoded].map(CSVLine.written).joined(separator: ",") + "\n"
    }.joined()
  }
}
