/// A value, and the file and line it begins in.
struct TOMLNode {
  /// The kinds of values the configuration uses; TOML's dates and arrays of tables are refused by the parser.
  enum Value {
    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    case array([TOMLNode])
    case table(TOMLTable)
  }

  let value: Value
  let line: ConfigurationLine
}
