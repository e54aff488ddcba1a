import Testing

@testable import UAFConsole

struct FormFieldsTests {
  @Test func `reads what a browser sends`() throws {
    let fields = try #require(FormFields(Array("name=a%2Bb+c&empty=&text=%ED%95%9C".utf8)))
    #expect(fields["name"] == "a+b c" && fields["empty"].isEmpty && fields["text"] == "한" && fields["no"].isEmpty)
  }

  @Test(arguments: [
    "a=1&a=2", "a=%", "a=%4", "a=%GG", "a=%FF", "a=%00", String(repeating: "a", count: FormFields.maximumBytes + 1),
    (0...FormFields.most).map { "f\($0)=" }.joined(separator: "&"),
  ]) func `refuses a repeated field, too many bytes, and what is not UTF-8`(text: String) {
    #expect(FormFields(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["a b", "%", "a&b=c", "한/?#"]) func `reads back what it has encoded`(text: String) throws {
    let fields = try #require(FormFields(Array("x=\(FormFields.encoded(text))".utf8)))
    #expect(fields["x"] == text)
  }
}
