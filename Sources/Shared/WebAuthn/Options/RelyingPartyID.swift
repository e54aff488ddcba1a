import UAFCrypto
import UAFMessages

/// The identifier of a relying party: a domain in lower case, without a port.
public struct RelyingPartyID: Equatable, Sendable {
  /// The domain.
  public let text: String

  /// SHA-256 of the domain, as it is in authenticator data.
  public let hash: [UInt8]

  /// Makes an identifier of the text that a server or an administrator wrote.
  ///
  /// - Throws: ``CryptoError``.
  public init(_ text: String) throws(CryptoError) {
    self.text = text
    hash = try SHA256.hash(Array(text.utf8))
  }

  /// Whether a host may speak for this relying party: it is the same name, or it ends with the identifier, and the identifier
  /// is a domain that can be registered (WebAuthn Level 3, section 5.1.4.1, step 8; HTML, "registrable domain suffix of or
  /// equal to").
  ///
  /// An IPv4 or IPv6 address is not a domain, so it can speak for no relying party.
  ///
  /// - Parameters:
  ///   - host: the host that was reached, in the form that its certificate has.
  ///   - registrableDomain: the public suffix and one label of a name; nil for a public suffix itself.
  public func isAllowed(forHost host: String, registrableDomain: (String) -> String?) -> Bool {
    let host = Self.lowercased(host)
    guard Self.isDomain(text), Self.isDomain(host), Self.lowercased(text).isIdentical(to: text) else { return false }
    if host.isIdentical(to: text) { return true }
    let (bytes, suffix) = (Array(host.utf8), [UInt8(ascii: ".")] + Array(text.utf8))
    guard bytes.count > suffix.count, bytes.suffix(suffix.count).elementsEqual(suffix) else { return false }
    guard let owner = registrableDomain(text), let hostOwner = registrableDomain(host) else { return false }
    return owner.isIdentical(to: hostOwner)
  }

  /// Lower case for ASCII alone: an internationalised name is compared in its A-labels.
  private static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Whether this is a name of letters, digits, hyphens and underscores, whose last label is not a number.
  private static func isDomain(_ text: String) -> Bool {
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...253).contains(text.utf8.count), let last = labels.last else { return false }
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.allSatisfy(isNameCharacter)
    }
    // An IPv4 address may also be written with fewer parts, or in hexadecimal.
    return isName && !last.allSatisfy { (0x30...0x39).contains($0) } && !last.starts(with: Array("0x".utf8))
  }

  private static func isNameCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
