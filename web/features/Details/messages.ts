const CATEGORY_NAMES: Record<string, string> = {
  FOLDER: 'Folder',
  IMAGE: 'Image',
  PDF: 'PDF',
  VIDEO: 'Video',
  AUDIO: 'Audio',
  TEXT: 'Text',
  DOCUMENT: 'Document',
  SPREADSHEET: 'Spreadsheet',
  PRESENTATION: 'Presentation',
}

/** One file's category, for people. */
export const categoryName = (category: string): string => CATEGORY_NAMES[category] ?? 'File'

/** "1 piece", "3 folders". */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`

export const ACTIVITY = 'Activity'
export const NO_ACTIVITY = 'No activity yet'
