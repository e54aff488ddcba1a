import ArgumentParser
import FidoResults
import Testing
import Wording

@testable import TerminalPrompts
@testable import UAFTool

/// The Korean help of each command and each option.
@Suite struct KoreanHelpTests {
  /// Each command, with the words that call it.
  private static let commands = all(Uafctl.self, path: [])

  private static func all(_ command: any ParsableCommand.Type, path: [String]) -> [[String]] {
    let below = command.configuration.subcommands.map { (type: $0, name: $0.configuration.commandName ?? "") }
    return [path] + below.flatMap { all($0.type, path: path + [$0.name]) }
  }

  private func korean(_ arguments: [String]) -> Bench {
    Bench(arguments, core: FakeCore([]), locale: "ko_KR.UTF-8")
  }

  /// The help of all commands, without line breaks in sentences, including the options that help hides.
  private func pages(in language: Language) -> String {
    func page(_ command: any ParsableCommand.Type) -> String {
      Uafctl.helpMessage(for: command, includeHidden: true, columns: KoreanPage.unbroken)
        + command.configuration.subcommands.map(page).joined()
    }
    return HelpLanguage.$current.withValue(language) { page(Uafctl.self) }
  }

  @Test(arguments: Language.allCases)
  func `the help contains each text, in the chosen language`(language: Language) {
    let pages = pages(in: language)
    for option in OptionHelp.allCases {
      #expect(pages.contains(" \(option.text(in: language))"), "\(option)")
    }
    for command in CommandHelp.allCases {
      let words = command.text(in: language)
      #expect(pages.contains("OVERVIEW: \(words.abstract)\n\n\(words.discussion)"), "\(command)")
    }
  }

  @Test func `each discussion in the English help has one in Korean`() {
    for command in CommandHelp.allCases {
      #expect(command.korean.discussion.isEmpty == command.english.discussion.isEmpty, "\(command)")
    }
  }

  @Test(arguments: commands)
  func `no Korean help has an English sentence, or a line wider than the screen`(path: [String]) {
    for arguments in [path + ["--help"], ["help"] + path] {
      let bench = korean(arguments)
      #expect(bench.exit == .success && bench.notes == "")
      let text = bench.output.split(separator: "\n").filter { !$0.hasPrefix("사용법: ") }.joined(separator: "\n")
      #expect(EnglishWords.found(in: text) == [], "\(path)")
      #expect(EnglishWords.linesWithoutKorean(text) == [])
      #expect(text.split(separator: "\n").filter { CharacterWidth.columns($0) > 80 } == [])
    }
  }

  @Test func `the help explains a command in Korean`() {
    #expect(
      korean(["unlock", "--help"]).output == """
        개요: 계정의 모든 잠금을 풉니다.

        root는 계정을 지정합니다. 헬프데스크가 준 파일이나 24자의 코드가 있으면 root가
        아니어도 자신의 계정을 한 번 풀 수 있으며, 네트워크가 필요하지 않습니다.

        사용법: uafctl unlock [--conf <file>] [--payload <file>] [--code] [<user>]

        인수:
          <user>                  계정. root만 지정할 수 있습니다. 빼면 자신의
                                  계정입니다.

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

  @Test func `the Korean help keeps names of values and defaults`() {
    let words = korean(["pam", "enable", "--help"]).output.split { $0 == " " || $0 == "\n" }
    let page = words.joined(separator: " ")
    #expect(page.contains("(값: instead, fallback, second-factor)"))
    #expect(page.contains("(기본값: /etc/pam.d)"))
  }

  @Test(arguments: ["en_US.UTF-8", "C", "fr_FR.UTF-8"])
  func `the help is in English for anybody whose locale is not Korean`(locale: String) {
    let bench = Bench(["unlock", "--help"], core: FakeCore([]), locale: locale)
    #expect(bench.output.hasPrefix("OVERVIEW: Lifts every lock"))
  }
}
