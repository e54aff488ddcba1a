import Testing

@testable import PAMStacks

/// Which lines of sudoers are read, as visudo(8) of sudo 1.9 reads them.
@Suite struct SudoersTextTests {
  private func remarks(_ text: String) -> [SudoersText.Remark] {
    var remarks: [SudoersText.Remark] = []
    var sudoers = SudoersText()
    sudoers.add(Array(text.utf8)) { remark, _ in remarks.append(remark) }
    return remarks
  }

  @Test(arguments: [
    "Defaults rootpw, !insults , passprompt=\"a,b \\\" c\", pam_service = corp", "Defaults\tpam_service=\"x y\"",
    "Defaults:!anna,bob targetpw", "Defaults:\"anna b\" targetpw", "Defaults@host1, host2 runaspw",
    "Defaults: x rootpw",
    "Defaults env_keep += \"A B\", env_keep -= C", "Defaults secure_path=/a:/b:/c", "Defaults logfile=/var/log/x#y",
    "Defaults!/bin/ls,/bin/cat rootpw", "Defaults:#1000 rootpw", "Defaults@fe80::1 rootpw", "Defaults !!rootpw",
    "root,%sudo , \"%my group\" ALL , !h2=(ALL:ALL) NOPASSWD : ALL:h3 = /bin/ls",
    "User_Alias A = anna, B, %x : B = bob", "User_Alias A=x:B=y", "Host_Alias H = a, 10.0.0.1, fe80::1 : I = x",
    "Cmnd_Alias C = /bin/ls, /bin/cat a b, !/bin/x", "Cmd_Alias C = /bin/ls", "Runas_Alias R = a, #0, %x",
    "u\\ x ALL=ALL # comment", "w ALL=/bin/ls \"\"", "#1000,#1001 ALL=ALL", "%#1000 ALL=ALL", "%:grp ALL=ALL",
    "%:#123 ALL=ALL", "+net ALL=ALL", "kim ALL=(ALL:ALL)ALL", "kim ALL=CWD=* CHROOT=/x ALL",
    "kim ALL = ROLE=a TYPE=b ALL",
    "kim ALL=^/bin/.*$ ^a$", "kim ALL=/bin/foo a\\:b\\=c", "kim ALL=/bin/foo a=b", "kim ALL=sudoedit /etc/x, list",
    "! kim ALL=! ALL", "kim ALL=(!root,ALL) ALL", "kim fe80::1=ALL", "kim ALL=ALL:h=ALL", "kim@example.com ALL=ALL",
    "kim ALL=TIMEOUT=5 NOPASSWD: ALL", "kim ALL=\\\n ALL", "kim\\\n ALL=ALL", "# comment \\\nkim ALL=ALL",
    "#-1 ALL=ALL",
    "ALL\tALL\t=\t(\tALL\t)\tALL", "kim ALL=ALL\r",
    "kim ALL=(root) sha224:0GomF8mNN3wlDt1HD9XldjJ3SNgpFdbjO1+NsQ== /bin/ls",
  ])
  func `accepts the lines of sudoers that sudo accepts`(line: String) { #expect(remarks(line) == []) }

  @Test(arguments: [
    "Defaults", "Defaults !ALL nothing", "Defaults !insults=x", "Defaults !env_keep+=x", "Defaults : x rootpw",
    "Defaults rootpw targetpw", "Defaults rootpw,",
    "Defaults badpass_message=\"x", "User_Alias a = x", "User_Alias A =", "User_Alias A x", "User_Alias ALL = x",
    "kim ALL=ALL bad", "kim ALL=bad", "kim ALL=", "kim ALL", "kim", "kim =ALL", "kim ALL=(ALL ALL", "kim ALL=ALL,",
    "kim ALL=,ALL", "kim ALL=NOPASSWD ALL", "kim ALL=XPASSWD: ALL", "kim bob ALL=ALL", "kim ALL=FOO x", "\"\" ALL=ALL",
    "kim ALL=NOPASSWD: TIMEOUT=5 ALL", "kim ALL=NOPASSWD: (root) ALL", "kim ALL=/bin/foo a:b", "@include", "include /x",
  ])
  func `reports a line of sudoers that sudo skips, and reads the next one`(line: String) {
    #expect(remarks("# first\n\(line)\nkim ALL=ALL\n") == [.wrong(line: 2, mayNameService: false)])
  }

  @Test(arguments: [
    "Defaults insults, pam_service+=x", "Defaults pam_login_service-=x", "Defaults !pam_askpass_service",
    "Defaults pam_service", "Defaults pam_service=\"\"", "Defaults x, !pam_service=y",
  ])
  func `reports an option in sudoers that sudo skips and that could have named a service`(line: String) {
    #expect(remarks(line) == [.wrong(line: 1, mayNameService: true)])
  }

  @Test func `reports an alias in sudoers that is defined twice, and uses the first definition`() {
    #expect(remarks("User_Alias A=x\nHost_Alias A=y\nUser_Alias A=z") == [.wrong(line: 3, mayNameService: false)])
    #expect(remarks("User_Alias A=x : A=z : B=x") == [.wrong(line: 1, mayNameService: false)])
  }

  @Test func `names the files and folders that sudoers includes, as they are written there`() {
    let lines = "@include /a\n#include b\\ c\n@includedir \"/d e\" # no\n  #includedir f\n#includes g\n# include h"
    #expect(
      remarks(lines) == [
        .include(path: "/a", isFolder: false), .include(path: "b c", isFolder: false),
        .include(path: "/d e", isFolder: true), .include(path: "f", isFolder: true),
      ])
  }
}
