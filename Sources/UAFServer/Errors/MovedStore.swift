import UAFService

/// The store was moved away while the server had it open: it can be read, and takes nothing any more.
struct MovedStore: StoreFailure {
  var logName: String { "store-moved" }
  var text: String { StoreError.movedShortText }
}
