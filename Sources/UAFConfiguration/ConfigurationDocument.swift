/// One of the files that make up a configuration.
struct ConfigurationDocument {
  /// Where it was read, for errors.
  let path: String
  let bytes: [UInt8]
}
