/** Texts of the search inside files. */
export const messages = {
  searchIn: 'Search in',
  name: 'Name',
  textInside: 'Text inside',
  results: (count: number, hasMore: boolean) =>
    count === 1 && !hasMore ? '1 result' : `${count.toLocaleString('en')}${hasMore ? ' or more' : ''} results`,
  listName: (query: string) => `Files with “${query}” inside`,
  reading: 'Some documents are still being read, so results may be missing.',
  none: (query: string) => `No text with “${query}”`,
  noneText:
    'Texts, PDFs, Word, Excel and PowerPoint files, and books (EPUB) are searched: all that Skypool stores, and the accounts for which you turn it on.',
  settings: 'Choose accounts',
  failed: 'The search did not work',
  tryAgain: 'Try again',
  more: 'Show more',
  excerpt: 'In the text:',
} as const
