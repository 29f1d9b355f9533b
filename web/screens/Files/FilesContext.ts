import { createContext, useContext } from 'react'
import type { FileActions } from './actions/useFileActions.ts'
import type { FileListStore } from './list/fileListStore.ts'
import type { Selection } from './selection/selection.ts'
import type { FilesPanels } from './useFilesPanels.ts'
import type { FilesUrl } from './useFilesUrl.ts'

export type PathEntry = { readonly id: string; readonly name: string }

/** The folder that My Drive shows; null at the root and in every other view. */
export type OpenFolder = PathEntry & {
  /** From the root to its parent. */
  readonly path: readonly PathEntry[]
  readonly childCount: number | null
  /** It is in an account, under its own name: nothing is uploaded into it here. */
  readonly inPlace: boolean
  /** Folders can be created in it. */
  readonly canCreate: boolean
}

/** The state that the parts of the file manager share. */
export type FileManager = FilesUrl & {
  readonly list: FileListStore
  readonly folder: OpenFolder | null
  readonly groupClouds: readonly PathEntry[]
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
  readonly download: (ids: readonly string[]) => void
  readonly selectAll: () => void
}

export const FilesContext = createContext<FileManager | null>(null)

export function useFileManager(): FileManager {
  const manager = useContext(FilesContext)
  if (!manager) throw new Error('useFileManager needs a FilesContext above it')
  return manager
}
