// Purpose: Unicode's Normalization Form C (Unicode Standard Annex 15) over a buffer of the caller's. libunistring's
// function for whole strings leaves copies of them on the heap, so only its tables are used here, one code point at a
// time.

import CUnistring

/// Normalization Form C, in place.
enum NormalFormC {
  /// The elements ``append(_:to:count:)`` needs beyond those in use.
  static let slack = Int(UC_DECOMPOSITION_MAX_LENGTH)

  /// Adds a code point's full canonical decomposition behind the `count` elements in use.
  ///
  /// - Returns: how many are in use then; nil if fewer than ``slack`` would have been free.
  static func append(_ point: UInt32, to points: inout MutableSpan<UInt32>, count: Int) -> Int? {
    guard points.count - count >= slack else { return nil }
    // SAFETY: libunistring writes at most UC_DECOMPOSITION_MAX_LENGTH elements, and so many are free behind `count`.
    let parts = unsafe points.withUnsafeMutableBufferPointer { buffer in
      unsafe uc_canonical_decomposition(point, buffer.baseAddress.map { unsafe $0 + count })
    }
    switch parts {
    case 1:
      return append(points[count], to: &points, count: count)
    case 2:
      let second = points[count + 1]
      guard let next = append(points[count], to: &points, count: count) else { return nil }
      return append(second, to: &points, count: next)
    default:
      // Unicode promises that no canonical mapping is longer than two: this code point has none.
      points[count] = point
      return count + 1
    }
  }

  /// Sorts each run of combining marks by class, equal ones in the order they came (Unicode, D109).
  static func order(_ points: inout MutableSpan<UInt32>, count: Int) {
    for index in 0..<count {
      let own = combiningClass(points[index])
      var place = index
      while own != 0, place > 0, combiningClass(points[place - 1]) > own {
        points.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  /// Composes the code points that have a composition (Unicode, D117).
  ///
  /// - Returns: how many elements are left.
  static func compose(_ points: inout MutableSpan<UInt32>, count: Int) -> Int {
    var kept = 0
    var starter: Int?
    var lastClass: CInt = 0
    for index in 0..<count {
      let point = points[index]
      let own = combiningClass(point)
      // A mark reaches the starter past marks of a lower class alone; another starter only if nothing is between them.
      if let starter, kept - 1 == starter || lastClass < own {
        let composed = uc_composition(points[starter], point)
        if composed != 0 {
          points[starter] = composed
          continue
        }
      }
      points[kept] = point
      if own == 0 { starter = kept }
      lastClass = own
      kept += 1
    }
    return kept
  }

  private static func combiningClass(_ point: UInt32) -> CInt { uc_combining_class(point) }
}
