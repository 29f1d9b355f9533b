import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { announce } from '../../../lib/announce.ts'
import { readDrop } from '../../../lib/dropEntries.ts'
import { nameText } from '../../../lib/nameText.ts'
import { toast } from '../../../ui/toast.ts'
import { whyNot } from '../actions/rights.ts'
import type { FileManager } from '../FilesContext.ts'
import type { FileListRow } from '../list/filesPage.ts'
import { items, notAllowed, VIEW_NAMES } from '../messages.ts'
import { has, selectOnly, targetsOf } from '../selection/selection.ts'
import { folderPath, viewPath } from '../urlState.ts'
import styles from './DropOverlay.module.css'
import { bringsFiles, type DropTarget, dropProblem, ROWS_TYPE } from './dropRules.ts'

/** A folder opens when rows are held over it for this long. */
const SPRING_MS = 800

/**
 * Drags rows onto folders, breadcrumbs and the sidebar, and takes files and folders from the desktop.
 * @returns where files from the desktop would go, or why they cannot, while they are held over the page
 */
export function useFileDrag(manager: FileManager): string | null {
  const [fileTarget, setFileTarget] = useState<string | null>(null)
  const navigate = useNavigate()
  const { upload } = useTransfers()
  const latest = useRef({ manager, navigate, upload })
  latest.current = { manager, navigate, upload }
  useEffect(() => {
    const drag = createDrag(() => latest.current, setFileTarget)
    const events = Object.entries(drag) as [keyof typeof drag, (event: DragEvent) => void][]
    for (const [name, listener] of events) document.addEventListener(name, listener)
    return () => {
      for (const [name, listener] of events) document.removeEventListener(name, listener)
    }
  }, [])
  return fileTarget
}

type World = {
  readonly manager: FileManager
  readonly navigate: (to: string) => unknown
  readonly upload: ReturnType<typeof useTransfers>['upload']
}

/** Outlives a change of folder in the middle of a drag. */
let dragged: readonly string[] = []

function createDrag(world: () => World, showFileTarget: (text: string | null) => void) {
  let over: { readonly element: Element; readonly spring: number | undefined } | null = null

  const leave = () => {
    if (over) window.clearTimeout(over.spring)
    over?.element.removeAttribute('data-drop-over')
    over = null
  }
  const enter = (element: Element, target: DropTarget) => {
    if (over?.element === element) return
    leave()
    element.setAttribute('data-drop-over', '')
    const open = () => target.kind === 'folder' && void world().navigate(folderPath(target.id))
    over = { element, spring: target.kind === 'folder' ? window.setTimeout(open, SPRING_MS) : undefined }
  }
  const end = () => {
    leave()
    showFileTarget(null)
  }

  return {
    dragstart(event: DragEvent) {
      const { manager } = world()
      const row = (event.target as Element).closest?.<HTMLElement>('[data-id]')
      const id = row?.dataset.id
      if (!id || !event.dataTransfer || manager.view === 'TRASH') return
      dragged = targetsOf(manager.selection, id)
      if (!has(manager.selection, id)) manager.setSelection(() => selectOnly(id))
      event.dataTransfer.effectAllowed = 'copyMove'
      event.dataTransfer.setData(ROWS_TYPE, JSON.stringify(dragged))
      offerDownload(event.dataTransfer, dragged.length === 1 ? manager.list.model.get(id) : null)
      event.dataTransfer.setDragImage(ghost(row?.dataset.dropName ?? '', dragged.length), -12, -8)
    },
    dragover(event: DragEvent) {
      const found = targetOf(event)
      if (bringsFiles(event.dataTransfer)) return overWithFiles(event, found?.target, world().manager, showFileTarget)
      if (!event.dataTransfer?.types.includes(ROWS_TYPE)) return
      if (!found || problemOf(found.target, world().manager)) return leave()
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      enter(found.element, found.target)
    },
    drop(event: DragEvent) {
      const target = targetOf(event)?.target
      const { manager } = world()
      if (bringsFiles(event.dataTransfer)) dropFiles(event, target, world())
      else if (target && dragged.length > 0 && !problemOf(target, manager)) {
        event.preventDefault()
        dropRows(manager, dragged, target)
      }
      dragged = []
      end()
    },
    dragleave(event: DragEvent) {
      if (event.relatedTarget === null) end()
    },
    dragend() {
      dragged = []
      end()
    },
  }
}

/** One file can be dragged out to the desktop: Chromium downloads what this type says, other browsers ignore it. */
function offerDownload(transfer: DataTransfer, row: FileListRow | null | undefined): void {
  if (row?.kind !== 'FILE' || !row.downloadUrl) return
  const url = new URL(row.downloadUrl, window.location.href).href
  // The parts are separated by colons, which a type has none of and a name must not bring.
  transfer.setData('DownloadURL', `${row.mimeType || 'application/octet-stream'}:${row.name.replace(/:/g, '_')}:${url}`)
}

function problemOf(target: DropTarget, { folder, view }: FileManager): string | null {
  return dropProblem(dragged, target, { currentFolder: folder?.id ?? null, isDrive: view === 'DRIVE' })
}

/** The drop target under the pointer: a folder, a breadcrumb, or an entry of the sidebar. */
function targetOf(event: DragEvent): { element: Element; target: DropTarget } | null {
  const element = event.target instanceof Element ? event.target.closest('[data-drop-folder], nav a[href]') : null
  if (!(element instanceof HTMLElement)) return null
  const { dropFolder, dropName } = element.dataset
  if (dropFolder !== undefined) {
    return { element, target: { kind: 'folder', id: dropFolder || null, name: dropName ?? '' } }
  }
  const href = element.getAttribute('href')
  if (href === viewPath('TRASH')) return { element, target: { kind: 'trash' } }
  if (href === viewPath('STARRED')) return { element, target: { kind: 'starred' } }
  if (href === viewPath('DRIVE')) return { element, target: { kind: 'folder', id: null, name: VIEW_NAMES.DRIVE } }
  return null
}

function dropRows({ actions }: FileManager, ids: readonly string[], target: DropTarget): void {
  if (target.kind === 'trash') void actions.trash(ids)
  else if (target.kind === 'starred') void actions.star(ids, true)
  else void actions.move(ids, target)
}

/** Files go into the folder they are held over, else into the one that is open. */
function fileDestination(target: DropTarget | undefined, { folder }: FileManager): { id: string | null; name: string } {
  if (target?.kind === 'folder') return target
  return { id: folder?.id ?? null, name: folder?.name ?? VIEW_NAMES.DRIVE }
}

/** Why files cannot be put there, as a sentence; null when they can. Unknown folders are left to the server. */
function fileProblem(target: DropTarget | undefined, manager: FileManager): string | null {
  const { folder, list } = manager
  const { id, name } = fileDestination(target, manager)
  const row = id === null ? null : list.model.get(id)
  const canAdd = id === folder?.id ? folder?.canCreate !== false : !whyNot([row], 'write')
  return canAdd ? null : notAllowed(name)
}

function overWithFiles(
  event: DragEvent,
  target: DropTarget | undefined,
  manager: FileManager,
  show: (text: string) => void,
): void {
  // A dialog has its own drop area.
  if (document.querySelector('[role="dialog"]')) return
  event.preventDefault()
  const problem = fileProblem(target, manager)
  // Where nothing can be dropped, the browser does not report the drop, and no reason could be given.
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
  show(problem ?? `Drop to upload to ${nameText(fileDestination(target, manager).name)}`)
}

function dropFiles(event: DragEvent, target: DropTarget | undefined, { manager, upload }: World): void {
  if (!event.dataTransfer || event.defaultPrevented || document.querySelector('[role="dialog"]')) return
  event.preventDefault()
  const problem = fileProblem(target, manager)
  if (problem !== null) {
    announce(problem)
    toast.error('Nothing was uploaded', { description: problem })
    return
  }
  const { id, name } = fileDestination(target, manager)
  void readDrop(event.dataTransfer).then((entries) => {
    upload(entries, { parentId: id, groupCloudId: null, place: name })
    announce(`Uploading ${items(entries.filter((entry) => entry.kind === 'FILE').length)} to ${nameText(name)}`)
  })
}

/** The drag image of dragged rows. */
function ghost(name: string, count: number): Element {
  const element = document.createElement('div')
  element.className = styles.ghost ?? ''
  element.textContent = count === 1 ? nameText(name) : items(count)
  document.body.append(element)
  // The browser takes its picture right after this event.
  setTimeout(() => element.remove())
  return element
}
