import UAFMessages

/// What became of a `/uaf/get`.
enum RequestOutcome: Sendable {
  case issued(ReturnUAFRequest)
  case refused(Refusal)
}
