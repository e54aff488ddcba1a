import Testing
import ToolTestSupport

@testable import TerminalPrompts
@testable import TerminalPrompts

@Suite final class PatternEntryTests {
  private let layout = PatternLayout(nodeSize: 1, characterWidth: 1)
  private let origin = (column: 3, row: 5)

  /// What the keys give: the stroke, the last action, and whether a wrong pattern is shown.
  private func enter(
    _ keys: [Key], wrong: String? = nil, shown: Bool = true
  ) throws -> (stroke: String, last: PatternEntry.Action, isMismatch: Bool) {
    var entry = try PatternEntry(keys: EditingKeys(), wrong: nil)
    if let wrong { entry = try PatternEntry(keys: EditingKeys(), wrong: try PatternStroke(wrong)) }
    var last = PatternEntry.Action.none
    for key in keys { last = entry.received(key, layout: layout, origin: shown ? origin : nil) }
    return (entry.stroke.text, last, entry.isMismatch)
  }

  private func bytes(_ text: String) -> [Key] { text.utf8.map(Key.byte) }

  private func mouse(_ kind: MouseEvent.Kind, at node: Int) -> Key {
    let center = layout.center(node)
    return .mouse(MouseEvent(kind: kind, column: origin.column + center.column, row: origin.row + center.row))
  }

  @Test func `a pattern is drawn with digits`() throws {
    let entered = try enter(bytes("1596\r"))
    #expect(entered.stroke == "1596" && entered.last == .done)
  }

  @Test func `a pattern is drawn with arrow keys and space, starting at the middle node`() throws {
    let entered = try enter(
      [.up] + bytes(" ") + [.left] + bytes(" ") + [.up] + bytes(" ") + [.right, .right] + bytes(" "))
    #expect(entered.stroke == "54123" && entered.last == .changed)
  }

  @Test(arguments: [(Key.left, "4"), (.right, "6"), (.up, "2"), (.down, "8")])
  func `the cursor of a pattern stays inside the grid`(arrow: Key, node: String) throws {
    let entered = try enter([arrow, arrow, arrow, arrow] + bytes(" "))
    #expect(entered.stroke == node)
    #expect(try enter([arrow, arrow, arrow]).last == .refused)
  }

  @Test func `a pattern is drawn with the mouse while its button is down`() throws {
    let keys = [mouse(.press, at: 1), mouse(.drag, at: 2), mouse(.drag, at: 5), mouse(.release, at: 5)]
    #expect(try enter(keys).stroke == "125")
    #expect(try enter(keys + [mouse(.drag, at: 9)]).stroke == "125")
    #expect(try enter(keys + bytes("\r")).last == .done)
  }

  @Test func `a fast mouse adds each node of a pattern that it passes over`() throws {
    #expect(try enter([mouse(.press, at: 1), mouse(.drag, at: 3), mouse(.drag, at: 9)]).stroke == "12369")
    #expect(try enter([mouse(.press, at: 7), mouse(.drag, at: 3)]).stroke == "753")
    #expect(try enter([mouse(.press, at: 1), mouse(.drag, at: 8)]).stroke == "18")
  }

  @Test func `pressing the mouse button on a node starts a new pattern, and elsewhere it does not`() throws {
    let first = [mouse(.press, at: 1), mouse(.drag, at: 2), mouse(.release, at: 2)]
    #expect(try enter(first + [mouse(.press, at: 9)]).stroke == "9")
    let beside = Key.mouse(MouseEvent(kind: .press, column: 1, row: 1))
    #expect(try enter(first + [beside, mouse(.drag, at: 3)]).stroke == "12")
  }

  @Test func `a mouse outside the window adds no node to a pattern`() throws {
    let far = Key.mouse(MouseEvent(kind: .drag, column: 9999, row: 9999))
    #expect(try enter([mouse(.press, at: 9), far]).stroke == "9")
  }

  @Test func `if no grid is shown, a pattern is entered with digits and the mouse is ignored`() throws {
    let entered = try enter([mouse(.press, at: 1), mouse(.drag, at: 2)] + bytes("47"), shown: false)
    #expect(entered.stroke == "47")
  }

  @Test func `one key removes the last node of a pattern, and another removes all`() throws {
    #expect(try enter(bytes("159\u{7F}\u{8}")).stroke == "1")
    #expect(try enter(bytes("159\u{15}")).stroke == "")
    #expect(try enter(bytes("1\u{7F}\u{7F}")).last == .refused)
    #expect(try enter(bytes("\u{15}")).last == .refused)
  }

  @Test(arguments: ["55", "0", "a", "\t", "!"])
  func `a key that can add no node is refused`(text: String) throws {
    #expect(try enter(bytes(text)).last == .refused)
  }

  @Test func `the keys for interrupt, end of file and quit cancel a pattern, and the suspend key suspends it`() throws {
    for byte in [UInt8(3), 4, 0x1C] { #expect(try enter([.byte(0x31), .byte(byte)]).last == .cancelled) }
    #expect(try enter([.byte(0x1A)]).last == .suspended)
  }

  @Test func `an empty pattern can be sent`() throws {
    let entered = try enter(bytes("\r"))
    #expect(entered.last == .done && entered.stroke == "")
  }

  @Test func `a wrong pattern stays visible until the next key, which starts a new pattern`() throws {
    let before = try enter([], wrong: "159")
    #expect(before.stroke == "159" && before.isMismatch)
    let after = try enter(bytes("7"), wrong: "159")
    #expect(after.stroke == "7" && !after.isMismatch && after.last == .changed)
    #expect(try enter(bytes("\u{3}"), wrong: "159").last == .cancelled)
  }

  @Test func `Enter does not send the wrong pattern that is still shown`() throws {
    let entered = try enter(bytes("\r"), wrong: "159")
    #expect(entered.stroke == "" && entered.last == .changed)
    #expect(try enter([.other], wrong: "159").last == .changed)
  }
}
