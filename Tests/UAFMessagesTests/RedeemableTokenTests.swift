import Testing

@testable import UAFMessages

@Suite struct RedeemableTokenTests {
  private static let token = "b4b07559-f934-4597-a1c5-44d89f691e8f"
  private static let address = "https://fido.example.com/nevisfido/token/redeem/registration"
  private static let short = #"{"token":"\#(token)","redeemUrl":"\#(address)"}"#
  private static let whole =
    #"{"nma_data":{"token":"\#(token)","redeem_url":"\#(address)","more":"text"},"#
    + #""nma_data_content_type":"application/json","nma_data_version":"1"}"#

  @Test(arguments: [short, whole, Base64URL.encode(short.utf8), Base64URL.encode(whole.utf8)])
  func `a payload gives its token and its address, as JSON or as base64url`(_ text: String) throws {
    let read = try RedeemableToken(parsing: text)
    #expect(read.token == Self.token && read.address == Self.address)
  }

  @Test(arguments: [token, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk"])
  func `a token alone is a token without an address, and so is a signed token`(_ text: String) throws {
    let read = try RedeemableToken(parsing: text)
    #expect(read.token == text && read.address == nil)
  }

  @Test(arguments: [
    "", "two words", "t\u{e4}ken", String(repeating: "a", count: 1025),
    #"{"token":"t"}"#, #"{"redeemUrl":"https://h/r"}"#, #"{"token":"","redeemUrl":"https://h/r"}"#,
    #"{"token":1,"redeemUrl":"https://h/r"}"#, #"{"token":"t","redeemUrl":"http://h/r"}"#,
    #"{"token":"t","redeemUrl":"ftp://h/r"}"#, #"{"token":"t","redeemUrl":"https://h/\u0007"}"#,
    #"{"token":"t","redeemUrl":"https://h/r"}}"#, #"{"token":"t","token":"u","redeemUrl":"https://h/r"}"#,
    #"{"nma_data":{"token":"t","redeemUrl":"https://h/r"}}"#,
    #"{"nma_data":"t","token":"t","redeemUrl":"https://h/r"}"#,
    #"{"nma_data":{"redeem_url":"https://h/r"},"token":"t"}"#,
    String(Base64URL.encode(short.utf8).dropLast()), Base64URL.encode(short.utf8) + "=",
    Base64URL.encode(#"{"op":"Reg"}"#.utf8),
    "{" + String(repeating: " ", count: 8192) + "}",
  ])
  func `refuses a payload without a token or an address, and a text that is neither payload nor token`(_ text: String) {
    #expect(throws: MessageError.self) { try RedeemableToken(parsing: text) }
  }
}
