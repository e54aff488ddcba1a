import Testing

@testable import UAFConfiguration

@Suite struct DeviceNameTemplateTests {
  @Test(arguments: [
    ("{hostname}", "desk", "desk"), ("{hostname} ({hostname})", "desk", "desk (desk)"), ("laptop", "desk", "laptop"),
    ("{hostname}'s", "", "'s"),
  ])
  func `the placeholder in the device name becomes the host name`(
    _ template: String, _ hostName: String, _ name: String
  ) throws {
    #expect(try #require(DeviceNameTemplate(template)).name(hostName: hostName) == name)
  }

  @Test func `cuts a device name at 64 characters, and sends none if it is empty`() throws {
    let long = String(repeating: "h", count: 64)
    #expect(try #require(DeviceNameTemplate("{hostname}-rack")).name(hostName: long) == long)
    #expect(try #require(DeviceNameTemplate("{hostname}")).name(hostName: "") == nil)
  }

  @Test(arguments: ["", " ", "a ", "a\nb", "a\u{202E}b", "{user}", "a{", "}", String(repeating: "x", count: 65)])
  func `refuses an invalid template of the device name`(_ text: String) {
    #expect(DeviceNameTemplate(text) == nil)
  }
}
