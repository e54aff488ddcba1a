/// What a result says to the person, and what can be done about it.
struct ResultText: Equatable, Sendable {
  let text: String
  let nextStep: String?

  init(_ text: String, _ nextStep: String? = nil) {
    self.text = text
    self.nextStep = nextStep
  }
}
