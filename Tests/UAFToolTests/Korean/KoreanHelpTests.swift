import ArgumentParser
import Testing

@testable import TerminalPrompts
@testable import UAFTool

/// Help in Korean: every command and every option of it.
@Suite struct KoreanHelpTests {
  /// Every command, with the names that lead to it.
  private static let commands = all(Uafctl.self, path: [])

  private static func all(_ command: any ParsableCommand.Type, path: [String]) -> [[String]] {
    let below = command.configuration.subcommands.map { (type: $0, name: $0.configuration.commandName ?? "") }
    return [path] + below.flatMap { all($0.type, path: path + [$0.name]) }
  }

  private func korean(_ arguments: [String]) -> Bench {
    Bench(arguments, core: FakeCore([]), locale: "ko_KR.UTF-8")
  }

  private func english(_ path: [String]) -> String {
    do {
      var command = try Uafctl.parseAsRoot(path + ["--help"])
      try command.run()
      return ""
    } catch {
      return Uafctl.fullMessage(for: error, columns: 100_000)
    }
  }

  @Test func `there are words for every command, option and argument, and for nothing else`() throws {
    var used: Set<String> = []
    for path in Self.commands {
      let name = path.joined(separator: " ")
      let words = try #require(KoreanHelp.commands[name], "\(name) has no Korean")
      let page = try #require(KoreanHelpPage(of: english(path)))
      #expect(page.command == name)
      for label in page.labels {
        #expect(words.arguments[label] != nil || KoreanHelp.shared[label] != nil, "\(name) \(label) has no Korean")
        if words.arguments[label] == nil { used.insert(label) }
      }
      #expect(words.arguments.keys.filter { !page.labels.contains($0) } == [], "\(name) has these no more")
    }
    #expect(Set(KoreanHelp.shared.keys) == used)
    #expect(Set(KoreanHelp.commands.keys) == Set(Self.commands.map { $0.joined(separator: " ") }))
  }

  @Test func `a discussion in English has one in Korean`() {
    func discussion(_ command: any ParsableCommand.Type, _ path: [String]) {
      let korean = KoreanHelp.commands[path.joined(separator: " ")]?.discussion ?? ""
      #expect(korean.isEmpty == command.configuration.discussion.isEmpty, "\(path)")
      for below in command.configuration.subcommands {
        discussion(below, path + [below.configuration.commandName ?? ""])
      }
    }
    discussion(Uafctl.self, [])
  }

  @Test(arguments: commands)
  func `no page has an English sentence, or a line wider than the screen`(path: [String]) {
    for arguments in [path + ["--help"], ["help"] + path] {
      let bench = korean(arguments)
      #expect(bench.exit == .success && bench.notes == "")
      let text = bench.output.split(separator: "\n").filter { !$0.hasPrefix("사용법: ") }.joined(separator: "\n")
      #expect(EnglishWords.found(in: text) == [], "\(path)")
      #expect(EnglishWords.linesWithoutKorean(text) == [])
      #expect(text.split(separator: "\n").filter { CharacterWidth.columns($0) > 80 } == [])
    }
  }

  @Test func `explains a command in Korean`() {
    #expect(
      korean(["unlock", "--help"]).output.replacing(" \n", with: "\n") == """
        개요: 계정의 모든 잠금을 풉니다.

        root는 계정을 지정합니다. 헬프데스크가 준 파일이나 24자의 코드가 있으면 root가
        아니어도 자신의 계정을 한 번 풀 수 있으며, 네트워크가 필요하지 않습니다.

        사용법: uafctl unlock [--conf <file>] [--payload <file>] [--code] [<user>]

        인수:
          <user>                  계정. root만 지정하며, 빼면 자신의 계정입니다.

        옵션:
          --conf <file>           설정 파일. root만 쓸 수 있습니다.
          --payload <file>        잠금 해제 파일. -를 주면 표준 입력에서 읽거나
                                  묻습니다.
          --code                  터미널이나 표준 입력의 첫 줄에서 24자의 코드를
                                  묻습니다.
          --version               버전을 보여 줍니다.
          -h, --help              도움말을 보여 줍니다.


        """)
  }

  @Test func `keeps values and defaults`() {
    let words = korean(["pam", "enable", "--help"]).output.split { $0 == " " || $0 == "\n" }
    let page = words.joined(separator: " ")
    #expect(page.contains("(값: instead, fallback, second-factor)"))
    #expect(page.contains("(기본값: /etc/pam.d)"))
  }

  @Test(arguments: ["en_US.UTF-8", "C", "fr_FR.UTF-8"])
  func `speaks English to everybody else`(locale: String) {
    let bench = Bench(["unlock", "--help"], core: FakeCore([]), locale: locale)
    #expect(bench.output.hasPrefix("OVERVIEW: Lifts every lock"))
  }
}
