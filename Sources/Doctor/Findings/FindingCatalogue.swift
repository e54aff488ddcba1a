import Wording

/// The texts of findings about one subject, in each language.
package protocol FindingCatalogue: Catalogued where Words == FindingText {}
