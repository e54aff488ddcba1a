import WebMessages

/// Whether a page of this server has sent a request.
enum RequestOrigin {
  /// Refuses what another site sends, and what says nothing of where it is from.
  ///
  /// A browser says `Origin: null` for a form of ours, because our pages forbid the referrer. `Sec-Fetch-Site`, which no page
  /// can set, says then that it is ours.
  static func isOwn(_ request: WebRequest) -> Bool {
    let site = request.field("sec-fetch-site")
    guard site == nil || site == "same-origin" else { return false }
    let origin = request.field("origin")
    if site != nil, origin == nil || origin == "null" { return true }
    guard let origin, let host = request.field("host") else { return false }
    return origin == "https://\(host)"
  }
}
