"""Swift that breaks the rules about types: who calls whom, and who sets what. `planted.py` plants it."""

# Types that call each other in a circle, with the name of the circle.
CIRCLES = (
    (
        "One Two",
        """
struct One { func a() { Two().b() } }
struct Two { init() {}
func b() { One().a() }
}
extension One { init() {} }
""",
    ),
    (
        "One Two",
        """
struct One { let two: Two
  func a() { two.b() }
}
struct Two { func b() { One.c() } }
extension One { static func c() {} }
""",
    ),
    (
        "One Two",
        """
struct One { static let limit = Two.limit
  static let least = 1
  }
struct Two { static let limit = One.least }
""",
    ),
    (
        "One Two",
        """
class One { func a(_ two: Two) -> Int { two.b } }
class Two { var b: Int { One.make().a(self) } }
extension One { static func make() -> One {} }
""",
    ),
    (
        "One Two",
        """
struct One { struct In { func a() { Two.b() } } }
enum Two { static func b() { One.In().c() } }
extension One.In { init() {} }
extension One { func d() { In.e() } }
""",
    ),
    (
        "One Three Two",
        """
enum One { static func a() { Two.a() } }
enum Two { static func a() { Three.a() } }
enum Three { static func a() { One.a() } }
""",
    ),
)

# What the sets below are about.
HELD = """
struct Held { var a = 1 }
final class Shared {
  var a = 1
  var held = Held()
  var list: [Int] = []
}
"""
LENT = """
struct Lent { var b: Int { get { 1 } set { } } }
"""

# Code that sets what is not its own, with the name of the property.
SETS = (
    ("Shared.a", "func f(_ shared: Shared) { shared.a = 2 }"),
    ("Shared.a", "func f() { let shared = Shared()\n shared.a += 2 }"),
    ("Shared.list", "func f(_ shared: Shared) { shared.list.append(1) }"),
    ("Shared.list", "func f(_ shared: Shared?) { shared?.list[0] = 1 }"),
    ("Shared.held", "func f(_ shared: Shared) { shared.held.a = 2 }"),
    ("Shared.held", "func f(_ shared: Shared) { g(&shared.held) }"),
    ("Shared.a", "func f(_ shared: Shared) { (shared.a, x) = (1, 2) }"),
    ("Held.a", "func f(_ held: inout Held) { held.a = 2 }"),
    ("Held.a", "func f() { change { (held: inout Held) in held.a = 2 } }"),
    ("Lent.b", "func f(_ lent: inout Lent) { lent.b = 2 }"),
)

# What looks like a violation and is none.
FINE = """
struct One {
  let two: Two
  var a = 1
  func f(_ two: Two) throws(Two) { throw Two.c(self) }
}
enum Two: Error {
  case c(One)
  func g(_ one: One) -> Bool { one.a == 1 }
}
"""
FILLS = """
func f() {
  var one = One(two: two)
  one.a = 2
}
struct Holder {
  var one: One
  mutating func f() { one.a = 2 }
}
"""
