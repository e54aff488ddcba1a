import Foundation
import Testing

@testable import UAFTool

/// `doctor` on what administrators get wrong, and on the same machine before they did.
@Suite struct BrokenSetupTests {
  private func findings(_ whole: WholeMachine) throws -> [[String: String]] {
    let output = whole.machine.doctor("--json").output
    let document = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    return try #require(document["findings"] as? [[String: String]])
  }

  @Test(arguments: BrokenSetup.server + BrokenSetup.machine + BrokenSetup.stacks)
  func `names it, says what to do, and has nothing to say of the same machine without it`(setup: BrokenSetup) throws {
    let whole = WholeMachine()
    #expect(try findings(whole).filter { $0["id"] != nil }.isEmpty)
    setup.breaking(whole)
    let found = try #require(try findings(whole).first { $0["id"] == setup.finding.rawValue })
    #expect(found["remedy"]?.isEmpty == false && found["text"]?.isEmpty == false)
    let line = try #require(
      whole.machine.doctor().output.split(separator: "\n").first { $0.hasSuffix(" [\(setup.finding.rawValue)]") })
    #expect(line.hasPrefix("FAIL ") || line.hasPrefix("warn "))
    #expect(line.contains(" : \(found["remedy"] ?? "-") ["))
  }

  @Test func `says all of it in Korean, too`() throws {
    for setup in BrokenSetup.server + BrokenSetup.machine + BrokenSetup.stacks {
      let whole = WholeMachine()
      setup.breaking(whole)
      let english = whole.machine.doctor("--json").output
      let korean = whole.machine.doctor(locale: "ko_KR.UTF-8", "--json").output
      let names = { (text: String) in text.matches(of: /"id":"([a-z-]+)"/).map { String($0.1) } }
      #expect(names(english) == names(korean), "\(setup)")
      #expect(korean.contains { ("가"..."힣").contains($0) }, "\(setup)")
    }
  }

  @Test func `a failure fails in JSON as it does in lines, and a warning does not`() throws {
    let whole = WholeMachine()
    #expect(whole.machine.doctor("--json").exit == .success)
    whole.machine.facts.isSynchronised = false
    let warned = whole.machine.doctor("--json")
    #expect(warned.exit == .success && warned.output.contains(#""failed":false"#))
    #expect(warned.output.hasSuffix("}\n") && warned.output.split(separator: "\n").count == 1)
    whole.machine.folder.delete("libexec/uaf-helper")
    let failed = whole.machine.doctor("--json")
    #expect(failed.exit == .refused && failed.output.contains(#""failed":true"#))
    #expect(failed.output.hasPrefix(#"{"version":""#))
  }
}
