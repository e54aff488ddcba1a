import UAFService

/// What one login asks the store for.
struct LoginLookup {
  let username: String
  let appID: String
  let challenge: IssuedChallenge?
}
