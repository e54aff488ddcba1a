import SecretMemory
import Testing
import ToolTestSupport

@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite final class PatternStrokeTests {
  private func drawn(_ digits: String) throws -> String { try PatternStroke(digits).text }

  @Test(arguments: [
    ("", ""), ("5", "5"), ("12369", "12369"), ("13", "123"), ("31", "321"), ("17", "147"), ("19", "159"), ("37", "357"),
    ("28", "258"), ("46", "456"), ("79", "789"), ("16", "16"), ("18", "18"), ("27", "27"), ("15", "15"),
    ("1379", "1235789"),
  ])
  func `a stroke gets the node that it passes over`(digits: String, stroke: String) throws {
    #expect(try drawn(digits) == stroke)
  }

  @Test func `a stroke does not get a visited node again when it passes over it`() throws {
    #expect(try drawn("213") == "213")
    #expect(try drawn("5193") == "51963")
  }

  @Test(arguments: [0, 10, -1, 5, 1])
  func `a stroke refuses an unknown node, and one that it has already`(node: Int) throws {
    var stroke = try PatternStroke("159")
    let wasTaken = stroke.append(node)
    let text = stroke.text
    #expect(!wasTaken && text == "159")
  }

  @Test func `removes nodes from the end of a stroke one by one, including those that it passed over`() throws {
    var stroke = try PatternStroke("13")
    var texts: [String] = []
    while stroke.removeLast() { texts.append(stroke.text) }
    #expect(texts == ["12", "1", ""])
    let again = stroke.append(1)
    #expect(again)
  }

  @Test func `a stroke has room for all nine nodes, and so has its copy`() throws {
    let stroke = try PatternStroke("123654789")
    let copy = try PatternStroke(copying: stroke)
    let text = copy.text
    #expect(text == "123654789")
    let digits = copy.finish().withBytes { bytes in bytes.indices.map { bytes[$0] } }
    #expect(digits == Array("123654789".utf8))
  }
}
