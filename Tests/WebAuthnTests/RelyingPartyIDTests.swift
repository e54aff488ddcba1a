import Testing
import UAFMessages
import WebAuthn

@Suite struct RelyingPartyIDTests {
  /// The registrable domain of a host, by a list of public suffixes with only `com`, `co.uk` and `github.io`.
  private static func registrableDomain(_ name: String) -> String? {
    let labels = name.split(separator: ".")
    for suffix in ["co.uk", "github.io", "com"] where name == suffix || name.hasSuffix("." + suffix) {
      let count = suffix.split(separator: ".").count + 1
      return labels.count < count ? nil : labels.suffix(count).joined(separator: ".")
    }
    return nil
  }

  private static func isAllowed(_ id: String, _ host: String) throws -> Bool {
    try RelyingPartyID(id).isAllowed(forHost: host, registrableDomain: registrableDomain)
  }

  @Test(
    arguments: [
      ("idp.example.com", "idp.example.com"), ("example.com", "idp.example.com"), ("example.com", "a.b.example.com"),
      ("b.example.com", "a.b.example.com"), ("example.co.uk", "www.example.co.uk"), ("example.com", "IDP.Example.COM"),
      ("localhost", "localhost"), ("intranet", "intranet"), ("a.github.io", "b.a.github.io"),
    ]) func `a relying party id may be the host itself or a registrable domain above it`(
      _ id: String, _ host: String
    ) throws
  {
    #expect(try Self.isAllowed(id, host))
  }

  @Test(
    arguments: [
      ("com", "example.com"), ("co.uk", "example.co.uk"), ("github.io", "a.github.io"),
      ("idp.example.com", "example.com"),
      ("example.com", "badexample.com"), ("b.example.com", "ab.example.com"), ("example.com", "example.com.evil.com"),
      ("example.org", "example.com"),
      ("intranet", "idp.intranet"), ("xample.com", "example.com"), (".example.com", "a.example.com"),
      ("example.com.", "a.example.com"), ("example.com", "a.example.com."), ("", "example.com"), ("", ""), (".", "."),
      ("Example.com", "example.com"), ("example.com:443", "example.com:443"), ("https://example.com", "example.com"),
    ]) func `refuses a relying party id that is a public suffix, a foreign domain, or no name in lower case`(
      _ id: String, _ host: String
    )
    throws
  {
    #expect(try !Self.isAllowed(id, host))
  }

  @Test(arguments: ["192.0.2.1", "::1", "[::1]", "2001:db8::1", "127.1", "0x7f000001", "3221225985", "1.2.3.0x4"])
  func `refuses an IP address as a relying party id`(_ address: String) throws {
    #expect(try !Self.isAllowed(address, address))
  }

  @Test func `the authenticator data contains the SHA-256 hash of the relying party id`() throws {
    let data = try Example.named("none.ES256").authenticationResponse().authenticatorData
    #expect(try RelyingPartyID("example.org").hash == data.relyingPartyIDHash)
  }
}
