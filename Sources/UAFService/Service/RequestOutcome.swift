import UAFMessages

/// What became of a `/uaf/get`.
package enum RequestOutcome: Sendable {
  case issued(ReturnUAFRequest)
  /// Nothing is issued: the text that waited is denied.
  case denied(username: String)
  case refused(Refusal)
}
