import Foundation
import Testing

/// All texts in the sources of uafctl: those named Korean are Korean, and none exists only in English.
@Suite struct KoreanSourceTests {
  private static let targets = ["Wording", "PAMStacks", "TerminalPrompts", "Doctor", "UAFTool"]

  private static let sources: [(name: String, text: String)] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Tool")
    let files = targets.flatMap { target in
      FileManager.default.enumerator(at: folder.appending(path: target), includingPropertiesForKeys: nil)?
        .compactMap { $0 as? URL } ?? []
    }
    return files.filter { $0.pathExtension == "swift" }.compactMap { file in
      (try? String(contentsOf: file, encoding: .utf8)).map { (file.lastPathComponent, $0) }
    }
  }()

  /// The texts in a member whose name says that they are Korean, from its first line to its closing brace.
  private static func koreanTexts(of source: String) -> [String] {
    var texts: [String] = []
    var end: String?
    for line in source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let indent = line.prefix { $0 == " " }
      let word = line.dropFirst(indent.count).replacing("package ", with: "", maxReplacements: 1)
      let isMember = [
        "var ", "static let ", "static func ", "private static let ", "private var ", "private static func ",
      ]
      .contains { word.hasPrefix($0 + "korean") || word.hasPrefix($0 + "asRootKorean") }
      if end == nil, isMember {
        texts.append(line)
        if line.hasSuffix("{") || line.hasSuffix("[") || line.hasSuffix("=") {
          end = indent + (line.hasSuffix("[") ? "]" : "}")
        }
      } else if let closing = end {
        texts.append(line)
        if line.hasPrefix(closing) { end = nil }
      }
    }
    return texts
  }

  /// The quoted text in a line, without interpolations.
  private static func quoted(_ line: String) -> String {
    var text = ""
    var depth = 0
    var isInside = false
    var before: Character = " "
    for character in line {
      if depth > 0 {
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
      } else if isInside, before == "\\", character == "(" {
        depth = 1
        text.removeLast()
      } else if character == "\"", before != "\\" {
        isInside.toggle()
        text += " "
      } else if isInside {
        text.append(character)
      }
      before = character
    }
    return text
  }

  @Test func `no Korean text in the sources has an English sentence`() {
    #expect(Self.sources.count > 60)
    var seen = 0
    for (name, source) in Self.sources {
      for line in Self.koreanTexts(of: source) {
        seen += 1
        #expect(EnglishWords.found(in: Self.quoted(line)) == [], "\(name): \(line)")
        #expect(!line.contains(".english"), "\(name): \(line)")
      }
    }
    #expect(seen > 300)
  }

  @Test func `no command prints a text that the sources have in only one language`() {
    for (name, source) in Self.sources {
      for line in source.split(separator: "\n") {
        let says = ["output.note(\"", "output.result(\"", "output.question(\"", ".failure(\"", "ValidationError(\""]
        #expect(
          !says.contains { line.contains($0) && !line.contains($0 + "\\(") }
            || line.contains("in: context.language"), "\(name): \(line)")
      }
    }
  }
}
