/// A table while it is being read: what it holds, in the text's order, and how it came about.
///
/// How it came about decides what may still be added to it (TOML 1.0.0, "Table").
final class TOMLTable {
  enum Origin {
    /// The document, or a `[header]` of its own.
    case header
    /// The way to a `[header]` further down.
    case implied
    /// A dotted key.
    case dotted
    /// `{ ... }`: nothing may be added.
    case inline
  }

  private(set) var origin: Origin
  private(set) var keys: [String] = []
  private var nodes: [String: TOMLNode] = [:]

  init(_ origin: Origin) {
    self.origin = origin
  }

  subscript(key: String) -> TOMLNode? { nodes[key] }

  /// Adds a key that is not there yet.
  func add(_ key: String, _ node: TOMLNode) {
    keys.append(key)
    nodes[key] = node
  }

  /// Lays a table of a later document over this one.
  ///
  /// A table is laid over a table key by key. Any other value replaces what is there, a list as a whole.
  func layOver(_ later: TOMLTable) {
    for key in later.keys {
      guard let node = later.nodes[key] else { continue }
      if case .table(let inner) = node.value, case .table(let own)? = nodes[key]?.value {
        own.layOver(inner)
      } else if nodes.updateValue(node, forKey: key) == nil {
        keys.append(key)
      }
    }
  }

  /// Takes the `[header]` that names it, after it was only the way to another.
  func becomeHeader() { origin = .header }

  /// Lets nothing more be added to it, nor to the tables in it: for an inline table and those its dotted keys made.
  func close() {
    origin = .inline
    for case .table(let inner)? in keys.map({ nodes[$0]?.value }) { inner.close() }
  }
}
