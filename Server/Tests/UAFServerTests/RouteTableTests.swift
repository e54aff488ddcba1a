import NIOHTTP1
import Testing
import WebMessages

@Suite struct RouteTableTests {
  private let table = RouteTable<String>([
    .init(.GET, "/a", "read"), .init(.POST, "/a", "write"), .init(.GET, "/a/{name}", "one"),
    .init(.DELETE, "/a/{name}", "remove"), .init(.GET, "/a/all", "all"), .init(.PUT, "/a/{name}/b/{number}", "two"),
  ])

  /// The route that is found, with the variable parts of the path in the order of their names.
  private func found(_ method: HTTPMethod, _ path: String) -> String? {
    guard case .route(let target, let variables) = table.match(method, path) else { return nil }
    return ([target] + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
  }

  @Test(arguments: [
    (HTTPMethod.GET, "/a", "read"), (.POST, "/a", "write"), (.GET, "/a/mina", "one name=mina"),
    (.DELETE, "/a/mina", "remove name=mina"), (.GET, "/a/all", "all"), (.GET, "/a/%2F", "one name=%2F"),
    (.PUT, "/a/mina/b/7", "two name=mina number=7"),
  ])
  func `a method and a path lead to one route, with the variable parts as they were sent`(
    method: HTTPMethod, path: String, target: String
  ) {
    #expect(found(method, path) == target)
  }

  @Test(arguments: [
    "", "/", "a", "/a/", "//a", "/a//b/7", "/a/mina/b", "/a/mina/b/", "/A", "/a/mina/c/7", "/a?x", "/%61",
  ])
  func `a path that is not exactly that of a route leads to none, whatever the method`(path: String) {
    for method in [HTTPMethod.GET, .POST, .PUT] {
      guard case .nothing = table.match(method, path) else {
        Issue.record("\(method) \(path)")
        continue
      }
    }
  }

  @Test func `a wrong method of a known path is refused with the methods that exist`() {
    for (path, methods) in [("/a", [HTTPMethod.GET, .POST]), ("/a/mina", [.GET, .DELETE]), ("/a/all", [.GET])] {
      guard case .otherMethods(methods) = table.match(.PATCH, path) else {
        Issue.record("\(path)")
        continue
      }
    }
    #expect(found(.DELETE, "/a/all") == nil)
  }
}
