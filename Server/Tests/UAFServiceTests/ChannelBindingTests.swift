import Testing
import UAFCrypto
import UAFMessages

@testable import UAFService

/// How the server checks to which certificate a client says it was connected.
struct ChannelBindingTests {
  let first, second: [UInt8]

  init() throws {
    first = try Self.certificate("first")
    second = try Self.certificate("second")
  }

  private static func certificate(_ name: String) throws -> [UInt8] {
    let made = try DevelopmentCertificate.make(
      commonName: name, dnsNames: ["a.test"], ipAddresses: [], notBefore: 1, notAfter: 2_000_000_000)
    return try X509.certificates(pem: made.certificatePEM)[0]
  }

  private func accepts(
    _ binding: ChannelBinding, _ policy: ChannelBindingPolicy, of certificates: [[UInt8]]
  ) throws -> Bool {
    try ServerIdentity(publicURL: "https://a.test", facets: [], certificates: certificates, channelBinding: policy)
      .accepts(binding)
  }

  private func hash(_ certificate: [UInt8]) throws -> String {
    Base64URL.encode(try SHA256.hash(certificate))
  }

  @Test func `channel binding is accepted in each form in which a client can name one of the server's certificates`()
    throws
  {
    for certificate in [first, second] {
      let text = Base64URL.encode(certificate)
      let bindings = [
        ChannelBinding(serverEndPoint: try hash(certificate)), ChannelBinding(tlsServerCertificate: text),
        ChannelBinding(serverEndPoint: try hash(certificate), tlsServerCertificate: text),
      ]
      for binding in bindings {
        #expect(try accepts(binding, .require, of: [first, second]))
        #expect(try accepts(binding, .check, of: [first, second]))
      }
    }
  }

  @Test(arguments: [ChannelBindingPolicy.require, .check])
  func `channel binding to a foreign certificate is refused, and so are two forms that name different certificates`(
    policy: ChannelBindingPolicy
  )
    throws
  {
    let bindings = [
      ChannelBinding(serverEndPoint: try hash(second)),
      ChannelBinding(tlsServerCertificate: Base64URL.encode(second)),
      ChannelBinding(serverEndPoint: try hash(first), tlsServerCertificate: Base64URL.encode(second)),
      ChannelBinding(serverEndPoint: try hash(second), tlsServerCertificate: Base64URL.encode(first)),
      ChannelBinding(serverEndPoint: try hash(first) + "=="), ChannelBinding(serverEndPoint: "unused"),
    ]
    for binding in bindings { #expect(try !accepts(binding, policy, of: [first])) }
    let mixed = ChannelBinding(serverEndPoint: try hash(first), tlsServerCertificate: Base64URL.encode(second))
    #expect(try !accepts(mixed, policy, of: [first, second]))
    #expect(try !accepts(ChannelBinding(serverEndPoint: try hash(first)), policy, of: []))
  }

  @Test func `a client that names no certificate is refused only if the policy requires channel binding`() throws {
    #expect(try !accepts(ChannelBinding(), .require, of: [first]))
    #expect(try accepts(ChannelBinding(), .check, of: [first]))
    let other = try ChannelBinding(parsing: #"{"tlsUnique":"AAAA","cid_pubkey":"unused"}"#)
    #expect(try !accepts(other, .require, of: [first]))
    #expect(try accepts(other, .check, of: [first]))
  }

  @Test func `no certificate is checked if channel binding is off`() throws {
    #expect(try accepts(ChannelBinding(serverEndPoint: "unused"), .off, of: [first]))
    #expect(try accepts(ChannelBinding(), .off, of: [[0x30, 0]]))
  }

  @Test func `the server refuses to start with an invalid certificate for channel binding`() {
    #expect(throws: CryptoError.invalidCertificate) { try accepts(ChannelBinding(), .check, of: [[0x30, 0]]) }
  }

  @Test func `a client whose channel binding is refused gets the status code for that`() {
    #expect(ServiceRefusal.channelBindingMismatch.statusCode.rawValue == 1490)
  }
}
