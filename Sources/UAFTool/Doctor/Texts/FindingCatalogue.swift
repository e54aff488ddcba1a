import Wording

/// The texts of findings about one subject, in each language.
protocol FindingCatalogue: Catalogued where Words == FindingText {}
