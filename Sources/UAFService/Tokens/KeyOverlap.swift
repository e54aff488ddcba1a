/// How long a replaced key is accepted.
package enum KeyOverlap {
  /// A day: far longer than any request or token lives, and any clock is wrong.
  package static let seconds: Int64 = 86_400
}
