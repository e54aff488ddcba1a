/// What has too many requests.
enum Limit: String, CaseIterable, Sendable {
  case address
  case account
}
