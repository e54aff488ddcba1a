import UAFMessages

/// The outcome of a `/uaf/get`.
package enum RequestOutcome: Sendable {
  case issued(ReturnUAFRequest)
  /// Nothing is issued: the person denied the text that waited.
  case denied(username: String)
  case refused(ServiceRefusal)
}
