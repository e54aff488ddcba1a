/// All states that a state machine can reach, found breadth first, each of them once.
struct Exploration<State: Hashable> {
  /// The number of states.
  private(set) var states = 0
  /// The number of events after which no new state appears.
  private(set) var depth = 0
  /// The number of events that were tried.
  private(set) var events = 0
  /// The number of events in the longest run; nil if a run can return to an earlier state, and so never end.
  private(set) var longestRun: Int?

  /// Finds all states.
  ///
  /// - Parameters:
  ///   - starts: the states to begin with.
  ///   - successors: the states to which one event leads; none if the run has ended.
  init(from starts: [State], _ successors: (State) throws -> [State]) rethrows {
    var numbers: [State: Int] = [:]
    var edges: [[Int]] = []
    var level = starts
    for (number, start) in starts.enumerated() { numbers[start] = number }
    edges = Array(repeating: [], count: starts.count)
    while !level.isEmpty {
      var next: [State] = []
      for state in level {
        var reached: [Int] = []
        for successor in try successors(state) {
          events += 1
          if let known = numbers[successor] {
            reached.append(known)
          } else {
            reached.append(edges.count)
            numbers[successor] = edges.count
            edges.append([])
            next.append(successor)
          }
        }
        edges[numbers[state] ?? 0] = reached
      }
      level = next
      if !level.isEmpty { depth += 1 }
    }
    states = edges.count
    longestRun = Self.longestPath(edges)
  }

  /// The longest path through a graph; nil if there is a cycle.
  private static func longestPath(_ edges: [[Int]]) -> Int? {
    var incoming = Array(repeating: 0, count: edges.count)
    for edge in edges.joined() { incoming[edge] += 1 }
    var lengths = Array(repeating: 0, count: edges.count)
    var ready = incoming.indices.filter { incoming[$0] == 0 }
    var count = 0
    while let node = ready.popLast() {
      count += 1
      for target in edges[node] {
        lengths[target] = max(lengths[target], lengths[node] + 1)
        incoming[target] -= 1
        if incoming[target] == 0 { ready.append(target) }
      }
    }
    return count == edges.count ? lengths.max() : nil
  }
}
