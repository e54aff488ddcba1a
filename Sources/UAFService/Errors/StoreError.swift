/// Why a store is not used, although its engine works.
package enum StoreError: Error, Equatable {
  /// A later version of the server has changed its tables.
  case newer
}
