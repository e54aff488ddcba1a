/// A route that clients ask for people: two of the UAF transport, and our own for the state of an account.
enum UAFRoute: String, CaseIterable, Sendable {
  case get, respond, account
}
