import type { File, ListFiles } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** A part of an excerpt: `isMatch` of what was searched for. */
export type ExcerptPart = { readonly text: string; readonly isMatch: boolean }

/** A file whose text contains the words. */
export type ContentMatch = {
  readonly file: File
  readonly cursor: string
  /** Plain text around a place with the words, in parts; at least one. */
  readonly excerpt: readonly ExcerptPart[]
}

/** As in a list of files; the order is always MODIFIED, newest first. */
export type FindContents = Pick<
  ListFiles,
  | 'categories'
  | 'groupCloudId'
  | 'provider'
  | 'accountId'
  | 'tagId'
  | 'home'
  | 'minSize'
  | 'maxSize'
  | 'modifiedAfter'
  | 'modifiedBefore'
  | 'states'
> & {
  readonly view: Exclude<ListFiles['view'], 'TRASH'>
  /**
   * Words that all have to be in the text, ignoring case and accents. The last one may be the beginning of a longer word; words in
   * quotation marks have to follow each other.
   */
  readonly query: string
  /** 1 to 200. */
  readonly limit: number
  /** Cursor: only matches after it. @throws InvalidInputError when it is not a cursor of this list */
  readonly after?: string | undefined
}

export type ContentMatches = {
  readonly items: readonly ContentMatch[]
  readonly hasNextPage: boolean
  /** Documents of the viewer that are still to be read: matches may be missing. */
  readonly isReading: boolean
}

export interface SearchService {
  /**
   * Searches the text inside of files: of all that Skypool stores, and of accounts where the user has turned that on. Never in the trash and
   * in earlier versions, and only in the present content.
   * @throws InvalidInputError for a query without a word, NotFoundError
   */
  find(viewer: Viewer, options: FindContents): Promise<ContentMatches>
  /** Turns `Account.searchContents` on or off. Off deletes the texts; on reads all documents. @throws NotFoundError */
  setAccount(viewer: Viewer, accountId: string, isOn: boolean): Promise<void>
}
