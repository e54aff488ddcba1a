import Testing
import UAFWire

@testable import UAFFetch

@Suite struct CookiesTests {
  private func header(_ sent: String = "", after lines: String...) -> String {
    var cookies = Cookies(header: sent)
    for line in lines { cookies.take(line) }
    return cookies.header
  }

  @Test func `keeps the name and value of a cookie, and drops its attributes`() {
    #expect(header(after: "session=a1; Path=/; Secure; HttpOnly; SameSite=Lax") == "session=a1")
    #expect(header(after: " a = 1 ", "b=") == "a=1; b=")
  }

  @Test func `a later value of a cookie replaces the earlier one, in its position`() {
    #expect(header("a=1; b=2", after: "a=3", "c=4") == "a=3; b=2; c=4")
  }

  @Test(arguments: ["a=; Max-Age=0", "a=1; max-age=-1", "a=1; Max-Age = 0"])
  func `removes an expired cookie`(_ line: String) {
    #expect(header("a=1; b=2", after: line) == "b=2")
    #expect(header("a=1", after: "a=2; Max-Age=3600", "b=1; Max-Age=") == "a=2; b=1")
  }

  @Test(arguments: ["", "a", "=1", "; a=1", "a=1\r\nX: 1", "a=1 2", "ä=1", "a=\u{7F}", "\u{1}=a"])
  func `leaves out a line that does not set a cookie`(_ line: String) {
    #expect(header("b=2", after: line) == "b=2")
  }

  @Test func `leaves out a cookie that is too long, and cookies above the maximum number`() {
    let long = String(repeating: "k", count: WireLimit.cookies)
    #expect(header("b=2", after: "a=\(long)") == "b=2")
    var cookies = Cookies(header: "")
    for index in 0..<(Cookies.maximumCount + 5) { cookies.take("c\(index)=1") }
    #expect(cookies.header.split(separator: ";").count == Cookies.maximumCount)
  }
}
