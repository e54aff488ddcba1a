/// What a page shows.
struct PageContent {
  let title: String
  let blocks: [PageBlock]
}
