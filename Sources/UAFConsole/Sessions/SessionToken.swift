import UAFCrypto
import UAFMessages

/// What the browser of a session has, and what is made of it.
struct SessionToken: Equatable {
  /// 256 random bits in base64url.
  let text: String

  static let randomBytes = 32

  init(random: [UInt8]) { text = Base64URL.encode(random) }

  /// Reads a cookie; nil for what is no token, so that nothing is looked up for it.
  init?(cookie: String?) {
    guard let cookie, cookie.utf8.count == 43, (try? Base64URL.decode(cookie, maximumCount: 32)) != nil else {
      return nil
    }
    text = cookie
  }

  /// What is stored of it.
  func hash() throws -> [UInt8] { try SHA256.hash(Array(text.utf8)) }

  /// What each form of the session has, and no other site knows.
  func csrf() throws -> String { Base64URL.encode(try SHA256.hash(Array("csrf \(text)".utf8))) }
}
