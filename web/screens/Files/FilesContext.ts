import { createContext, useContext } from 'react'
import type { FilesScreenQuery$data } from '../../__generated__/FilesScreenQuery.graphql.ts'
import type { FileActions } from './actions/useFileActions.ts'
import type { FileListStore } from './list/fileListStore.ts'
import type { Selection } from './selection/selection.ts'
import type { FilesPanels } from './useFilesPanels.ts'
import type { FilesUrl } from './useFilesUrl.ts'

export type PathEntry = { readonly id: string; readonly name: string }

/** An account to look in. `index` null: only what Skypool stores there is shown. */
export type AccountChoice = NonNullable<FilesScreenQuery$data['viewer']>['accounts'][number]

/** The folder that My Drive shows; null at the root and in every other view. */
export type OpenFolder = PathEntry & {
  /** From the root to its parent. */
  readonly path: readonly PathEntry[]
  readonly childCount: number | null
  /** It is in an account, under its own name. */
  readonly inPlace: boolean
  /** Id of that account. */
  readonly accountId: string | null
  /** When its content was last read, where the account reports no changes. */
  readonly asOf: string | null
  /** Folders can be created in it, and files be uploaded. */
  readonly canCreate: boolean
}

/** The state that the parts of the file manager share. */
export type FileManager = FilesUrl & {
  readonly list: FileListStore
  readonly folder: OpenFolder | null
  readonly groupClouds: readonly PathEntry[]
  readonly accounts: readonly AccountChoice[]
  /** The accounts by the folders that show them. */
  readonly roots: ReadonlyMap<string, AccountChoice>
  /** Of the accounts, each once. */
  readonly providers: readonly PathEntry[]
  readonly selection: Selection
  readonly setSelection: (change: (selection: Selection) => Selection) => void
  readonly actions: FileActions
  readonly panels: FilesPanels
  /** Opens a folder, or shows a file. */
  readonly open: (id: string) => void
  /** Opens the folder that holds it, with it selected. */
  readonly openLocation: (id: string) => void
  /** `type`: one of the `exportTypes` of a single native document; by default the first. */
  readonly download: (ids: readonly string[], type?: string) => void
  readonly selectAll: () => void
}

export const FilesContext = createContext<FileManager | null>(null)

export function useFileManager(): FileManager {
  const manager = useContext(FilesContext)
  if (!manager) throw new Error('useFileManager needs a FilesContext above it')
  return manager
}
