import { beforeEach, expect, test, vi } from 'vitest'
import { downloadSelected } from '../../web/screens/Files/actions/useDownload.ts'
import type { OpenFolder } from '../../web/screens/Files/FilesContext.ts'
import { NOTHING, type Selection, selectAll, selectWhole, toggle } from '../../web/screens/Files/selection/selection.ts'
import { listKeyOf, readUrlState } from '../../web/screens/Files/urlState.ts'
import { toast } from '../../web/ui/toast.ts'

// What the button Download of the selection does, in a list of which `loaded` rows of `total` are there.

vi.mock('../../web/ui/toast.ts', () => ({ toast: { error: vi.fn() } }))

const ids = (count: number) => Array.from({ length: count }, (_, index) => `file_${index}`)
const KEY = listKeyOf('DRIVE', readUrlState(new URLSearchParams()), true)
const FOLDER = { id: 'file_folder', name: 'Letters' } as OpenFolder

function listOf(loaded: number, total: number, isFailing = false) {
  const failure = isFailing ? new Error('Failed to fetch') : null
  const list = { key: KEY, failure, model: { count: loaded, hasNext: loaded < total, idsBetween }, loadAll }
  function idsBetween(from: number, to: number) {
    return ids(list.model.count).slice(from, to + 1)
  }
  async function loadAll(limit: number) {
    if (isFailing) return
    const count = Math.min(limit, total)
    list.model = { count, hasNext: count < total, idsBetween }
  }
  return list
}

const everything = (loaded: number, total: number) =>
  selectWhole(NOTHING, ids(loaded), Promise.resolve({ count: total, bytes: 0, asOf: '' }))

async function downloaded(selection: Selection, list: ReturnType<typeof listOf>, folder: OpenFolder | null = null) {
  const [download, downloadFile] = [vi.fn(), vi.fn()]
  await downloadSelected([...selection.ids], { selection, list, folder, download, downloadFile })
  const [file] = downloadFile.mock.calls.flat()
  return { ids: download.mock.calls.flat(2), folder: file?.name ?? null }
}

beforeEach(() => void vi.mocked(toast.error).mockClear())

test('what is selected one by one is downloaded, up to 200', async () => {
  expect((await downloaded(selectAll(NOTHING, ids(200)), listOf(300, 300))).ids).toEqual(ids(200))
  expect(toast.error).not.toHaveBeenCalled()
  expect((await downloaded(selectAll(NOTHING, ids(201)), listOf(300, 300))).ids).toEqual([])
  expect(toast.error).toHaveBeenCalledOnce()
})

test('everything in a folder is that folder', async () => {
  expect(await downloaded(everything(100, 5000), listOf(100, 5000), FOLDER)).toEqual({ ids: [], folder: 'Letters.zip' })
})

test('everything that is loaded is downloaded where there is no folder, also while it is read again', async () => {
  expect((await downloaded(everything(2, 2), listOf(2, 2))).ids).toEqual(ids(2))
  expect(toast.error).not.toHaveBeenCalled()
})

test('what is not loaded yet is loaded first', async () => {
  expect((await downloaded(everything(100, 150), listOf(100, 150))).ids).toEqual(ids(150))
  const withoutOne = toggle(everything(100, 201), 'file_7')
  expect((await downloaded(withoutOne, listOf(100, 201), FOLDER)).ids).toEqual(ids(201).filter((id) => id !== 'file_7'))
  expect(toast.error).not.toHaveBeenCalled()
})

test('more than 200, and what cannot be loaded, is refused with the reason, and never downloaded in part', async () => {
  expect((await downloaded(everything(100, 201), listOf(100, 201))).ids).toEqual([])
  expect((await downloaded(everything(100, 150), listOf(100, 150, true))).ids).toEqual([])
  expect(vi.mocked(toast.error).mock.calls.map(([title]) => title)).toEqual([
    'Too many items for one download',
    'Could not select everything',
  ])
})

test('what could not be counted is not downloaded', async () => {
  const failed = Promise.reject(new Error('Failed to fetch'))
  expect((await downloaded(selectWhole(NOTHING, ids(2), failed), listOf(2, 2))).ids).toEqual([])
})
