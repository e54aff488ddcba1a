import PAMStacks
import Testing

@testable import Doctor

/// Whom sudoers names, as `cvtsudoers -f json` prints it.
@Suite struct SudoersPeopleTests {
  private func people(_ rules: String) -> SudoSettings.People? {
    SudoSettings(program: "cvtsudoers", file: "sudoers") { _, _ in #"{"User_Specs":[\#(rules)]}"# }.people
  }

  private static let asking = #""Cmnd_Specs":[{"Options":[{"authenticate":false}]},{"Options":[{"setenv":true}]}]"#

  @Test func `accounts, numbers, groups and everybody are read, and who is excepted`() {
    let list =
      #"{"username":"kim"},{"userid":1003},{"usergroup":"ops"},{"username":"ALL"},"#
      + #"{"username":"lee","negated":true}"#
    #expect(
      people("{\"User_List\":[\(list)],\(Self.asking)}")
        == SudoSettings.People(
          allowed: [.account("kim"), .number(1003), .group("ops"), .everybody], refused: [.account("lee")]))
  }

  @Test(arguments: [
    #"{"netgroup":"n"}"#, #"{"usergid":4}"#, #"{"userid":-1}"#, #"{"userid":4294967296}"#, #"{"username":7}"#, "7",
    "{}",
  ])
  func `what is no account and no group by its name is left out`(entry: String) {
    #expect(people("{\"User_List\":[\(entry)],\(Self.asking)}")?.allowed == [])
  }

  @Test func `a rule that asks for no password names nobody`() {
    #expect(
      people(#"{"User_List":[{"username":"kim"}],"Cmnd_Specs":[{"Options":[{"authenticate":false}]}]}"#)?.allowed == [])
    #expect(people(#"{"User_List":[{"username":"kim"}]}"#)?.allowed == [])
  }

  @Test(arguments: [nil, "", "[]", "{"])
  func `without sudoers it is not known who may use sudo`(text: String?) {
    #expect(SudoSettings(program: "cvtsudoers", file: "sudoers") { _, _ in text }.people == nil)
  }
}
