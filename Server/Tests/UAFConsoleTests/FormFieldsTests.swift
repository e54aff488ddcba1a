import Testing

@testable import UAFConsole

struct FormFieldsTests {
  @Test func `reads the fields of a form as browsers send them`() throws {
    let fields = try #require(FormFields(Array("name=a%2Bb+c&empty=&text=%ED%95%9C".utf8)))
    #expect(fields["name"] == "a+b c" && fields["empty"].isEmpty && fields["text"] == "한" && fields["no"].isEmpty)
  }

  @Test(arguments: [
    "a=1&a=2", "a=%", "a=%4", "a=%GG", "a=%FF", "a=%00", String(repeating: "a", count: FormFields.maximumBytes + 1),
    (0...FormFields.most).map { "f\($0)=" }.joined(separator: "&"),
  ]) func `refuses a form with a repeated field, with too many bytes, or that is not UTF-8`(text: String) {
    #expect(FormFields(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["a b", "%", "a&b=c", "한/?#"]) func `a form field is read back exactly as it was encoded`(
    text: String
  ) throws {
    let fields = try #require(FormFields(Array("x=\(FormFields.encoded(text))".utf8)))
    #expect(fields["x"] == text)
  }
}
