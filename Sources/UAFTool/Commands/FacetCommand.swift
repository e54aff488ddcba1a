import ArgumentParser
import UAFConfiguration
import UAFMessages

/// `uafctl facet`.
struct FacetCommand: LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "facet",
    abstract: "Prints who this client says it is, and what a server has to list.",
    discussion: """
      The first line is the FacetID. The second is the document of trusted facets that the server's AppID leads to, as it \
      must be for this client alone; a server that has one adds the FacetID to its lists.
      """)

  @OptionGroup var conf: ConfigurationOption

  func perform(in context: ToolContext) throws(ToolError) -> ToolExit {
    let installation = context.installation
    let given = try configurationPath(in: context)
    let configuration: Configuration
    do throws(ConfigurationError) {
      configuration = try Configuration.load(
        path: given, defaultPath: installation.configurationPath, requiredOwner: installation.owner)
    } catch {
      throw .configuration(.unusable(error))
    }
    let path = given ?? installation.configurationPath
    guard !configuration.files.isEmpty else { throw .configuration(.unusable(.file(path: path, .missing))) }
    guard let facet = configuration.server?.facetID else { throw .configuration(.noServer(path: path)) }
    let list = TrustedFacetList(trustedFacets: UPV.supported.map { .init(version: $0, ids: [facet]) })
    context.output.result(facet)
    context.output.result(list.json.text)
    return .success
  }
}
