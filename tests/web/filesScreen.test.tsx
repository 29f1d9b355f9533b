import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { act, Suspense } from 'react'
import { loadQuery, RelayEnvironmentProvider } from 'react-relay'
import { MemoryRouter } from 'react-router'
import { createMockEnvironment, type MockEnvironment } from 'relay-test-utils'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import query, { type FilesScreenQuery } from '../../web/__generated__/FilesScreenQuery.graphql.ts'
import { filesChanges } from '../../web/features/Live/liveEvents.ts'
import { TransfersContext } from '../../web/features/Transfers/transfersContext.ts'
import { FilesScreen } from '../../web/screens/Files/FilesScreen.tsx'
import { Toaster } from '../../web/ui/Toaster.tsx'
import { answerPage, settle } from './support/filePages.ts'

let environment: MockEnvironment
const openUploadDialog = vi.fn()
const upload = vi.fn()
const download = vi.fn()
const nothing = () => () => undefined

beforeEach(() => {
  environment = createMockEnvironment()
  localStorage.clear()
  for (const spy of [openUploadDialog, upload, download]) spy.mockReset()
})
afterEach(cleanup)

const transfers = {
  upload,
  download,
  openUploadDialog,
  setUploadFolder: () => undefined,
  control: {
    subscribe: nothing,
    getSnapshot: () => [],
    onUploaded: nothing,
    onBatchEnd: nothing,
  },
} as unknown as NonNullable<React.ContextType<typeof TransfersContext>>

async function show(address: string): Promise<void> {
  const queryRef = loadQuery<FilesScreenQuery>(environment, query, {})
  environment.mock.resolveMostRecentOperation({
    data: {
      viewer: {
        id: 'user_1',
        quota: { usedBytes: 0, totalBytes: 1024, reservedBytes: 0, freeBytes: 1024 },
        groupClouds: [{ id: 'group_1', name: 'My Cloud' }],
        accounts: [
          {
            id: 'account_1',
            name: 'This server',
            provider: 'local',
            providerName: 'This server',
            status: 'CONNECTED',
            index: null,
          },
          {
            id: 'account_2',
            name: 'Studio',
            provider: 'google-drive',
            providerName: 'Google Drive',
            status: 'CONNECTED',
            index: { phase: 'FIRST_PASS', entries: 12_400 },
          },
        ],
      },
    },
  })
  render(
    <RelayEnvironmentProvider environment={environment}>
      <MemoryRouter initialEntries={[address]}>
        <TransfersContext value={transfers}>
          <Suspense>
            <FilesScreen queryRef={queryRef} />
          </Suspense>
          <Toaster />
        </TransfersContext>
      </MemoryRouter>
    </RelayEnvironmentProvider>,
  )
  await act(settle)
}

async function showThree(address = '/file-manager/my-drive'): Promise<void> {
  await show(address)
  await act(() => answerPage(environment, { from: 0, count: 3, hasNext: false }))
}

const row = (number: number) => screen.getByRole('row', { name: new RegExp(`file ${number}\\.txt`) })
const selected = () => screen.getAllByRole('row', { selected: true }).map((element) => element.dataset.dropName)
const key = (name: string, init: KeyboardEventInit = {}) =>
  act(() => void fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...init }))
const operation = (name: string) =>
  waitFor(() => {
    const found = environment.mock.getAllOperations().find((one) => one.request.node.operation.name === name)
    if (!found) throw new Error(`${name} was not sent`)
    return found
  })

describe('selecting', () => {
  test('a press selects, Ctrl adds, Shift takes the range', async () => {
    await showThree()
    fireEvent.click(row(0))
    expect(selected()).toEqual(['file 0.txt'])
    fireEvent.click(row(2), { ctrlKey: true })
    expect(selected()).toEqual(['file 0.txt', 'file 2.txt'])
    fireEvent.click(row(0))
    fireEvent.click(row(2), { shiftKey: true })
    expect(selected()).toHaveLength(3)
    expect(await screen.findByRole('toolbar', { name: '3 selected' })).toBeTruthy()
  })

  test('the keyboard moves, extends and clears', async () => {
    await showThree()
    await key('ArrowDown')
    await key('ArrowDown')
    expect(selected()).toEqual(['file 1.txt'])
    await key('ArrowDown', { shiftKey: true })
    expect(selected()).toEqual(['file 1.txt', 'file 2.txt'])
    await key('Escape')
    expect(screen.queryAllByRole('row', { selected: true })).toHaveLength(0)
    await key('a', { ctrlKey: true })
    expect(selected()).toHaveLength(3)
  })

  test('a right press on another row selects it and offers what works', async () => {
    await showThree()
    fireEvent.click(row(0))
    fireEvent.contextMenu(row(1))
    const menu = await screen.findByRole('menu')
    expect(selected()).toEqual(['file 1.txt'])
    const names = within(menu)
      .getAllByRole('menuitem')
      .map((item) => item.querySelector('.ell')?.textContent)
    expect(names).toEqual([
      'Preview',
      'Edit',
      'Download',
      'Copy link',
      'Share',
      'Add star',
      'Tags…',
      'Move to…',
      'Copy to…',
      'Move to group cloud…',
      'Rename',
      'Duplicate',
      'Details',
      'Move to Trash',
    ])
  })
})

test('offline, the end of the list says that the rest comes later, and nothing that failed', async () => {
  await show('/file-manager/my-drive')
  await act(() => answerPage(environment, { from: 0, count: 3, hasNext: true }))
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  await act(async () => {
    window.dispatchEvent(new Event('offline'))
    environment.mock.rejectMostRecentOperation(new Error('no network'))
    await settle()
  })
  expect(screen.getByText('The rest is loaded when you are back online.')).toBeTruthy()
  expect(screen.queryByText(/Could not load more/)).toBeNull()
  online.mockReturnValue(true)
  await act(async () => void window.dispatchEvent(new Event('online')))
  await act(() => answerPage(environment, { from: 3, count: 1, hasNext: false }))
  expect(screen.getByText('4 items')).toBeTruthy()
  online.mockRestore()
})

describe('the grid', () => {
  test('the same rows stand in a grid, and v leads there and back', async () => {
    await showThree()
    await key('v')
    expect(await screen.findByRole('gridcell', { name: /file 1\.txt/ })).toBeTruthy()
    await key('v')
    expect(row(1)).toBeTruthy()
    expect(localStorage.getItem('files-layout')).toBe('list')
  })
})

describe('acting', () => {
  test('Delete hides the row at once; a refusal brings it back and says why', async () => {
    await showThree()
    fireEvent.click(row(1))
    await key('Delete')
    expect(screen.queryByText('file 1.txt')).toBeNull()
    const sent = await operation('trashFilesMutation')
    expect(sent.request.variables).toEqual({ input: { ids: ['file_1'] } })
    await act(async () => {
      environment.mock.resolve(sent, {
        data: {
          trashFiles: { __typename: 'NotFoundError', __isError: 'NotFoundError', code: 'NOT_FOUND', message: 'Gone.' },
        },
      })
      await settle()
    })
    expect(row(1)).toBeTruthy()
    expect((await screen.findAllByText(/Could not move to Trash/)).length).toBeGreaterThan(0)
  })

  test('what was trashed can be undone', async () => {
    await showThree()
    fireEvent.click(row(1))
    await key('Delete')
    const trashFilesMutation = await operation('trashFilesMutation')
    await act(async () => {
      environment.mock.resolve(trashFilesMutation, {
        data: { trashFiles: { __typename: 'TrashFilesPayload', files: [{ id: 'file_1', trashedAt: '2026-11-21' }] } },
      })
      await settle()
    })
    await key('z', { ctrlKey: true })
    expect((await operation('trashFilesRestoreMutation')).request.variables).toEqual({ input: { ids: ['file_1'] } })
  })

  test('F2 turns the name into a field with its stem selected; a taken name keeps what was typed', async () => {
    await showThree()
    fireEvent.click(row(0))
    await key('F2')
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'New name' })
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, 'file 0'.length])
    fireEvent.change(field, { target: { value: 'file 1.txt' } })
    fireEvent.keyDown(field, { key: 'Enter' })
    const renameFileMutation = await operation('renameFileMutation')
    await act(async () => {
      environment.mock.resolve(renameFileMutation, {
        data: {
          renameFile: {
            __typename: 'NameTakenError',
            __isError: 'NameTakenError',
            code: 'NAME_TAKEN',
            message: 'That name is taken.',
          },
        },
      })
      await settle()
    })
    expect(screen.getByRole('alert').textContent).toBe('That name is taken.')
    expect(field.value).toBe('file 1.txt')
  })

  test('single letters can be turned off', async () => {
    await showThree()
    await key('u')
    expect(openUploadDialog).toHaveBeenCalledTimes(1)
    act(() => {
      localStorage.setItem('single-keys', 'off')
      window.dispatchEvent(new Event('storage'))
    })
    await key('u')
    expect(openUploadDialog).toHaveBeenCalledTimes(1)
  })

  test('several files go to another group cloud, which is chosen by its free space', async () => {
    await showThree()
    fireEvent.click(row(0))
    fireEvent.click(row(2), { ctrlKey: true })
    fireEvent.contextMenu(row(2))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Move to group cloud…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Move 2 items to a group cloud' })
    const quota = { usedBytes: 0, totalBytes: 1024, reservedBytes: 0, freeBytes: 1024 }
    const groupCloud = { name: 'My Cloud', defaultUploadGroup: true, copies: 1, quota, members: [] }
    const studio = { ...groupCloud, id: 'group_2', name: 'Studio pool', defaultUploadGroup: false, copies: 2 }
    const members = [{ account: { id: 'account_2', hue: 1 } }]
    const pickerQuery = await operation('GroupCloudPickerQuery')
    await act(async () => {
      environment.mock.resolve(pickerQuery, {
        data: {
          viewer: {
            id: 'user_1',
            groupClouds: [
              { ...groupCloud, id: 'group_1' },
              { ...studio, members },
            ],
          },
        },
      })
      await settle()
    })
    expect(within(dialog).getByRole<HTMLInputElement>('radio', { name: /My Cloud.*No account in it/ }).disabled).toBe(
      true,
    )
    expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Move' }).disabled).toBe(true)
    fireEvent.click(within(dialog).getByRole('radio', { name: /Studio pool.*2 copies · 1.00 KB free/ }))
    fireEvent.click(within(dialog).getByRole('button', { name: 'Move' }))
    const sent = await operation('moveToGroupCloudMutation')
    expect(sent.request.variables).toEqual({ input: { ids: ['file_0', 'file_2'], groupCloudId: 'group_2' } })
    await act(async () => {
      environment.mock.resolve(sent, {
        data: { moveFilesToGroupCloud: { __typename: 'MoveFilesToGroupCloudPayload', files: [] } },
      })
      await settle()
    })
    expect((await screen.findAllByText('2 items go to Studio pool')).length).toBeGreaterThan(0)
  })

  const toasts = (text: string) =>
    waitFor(() => expect(screen.getAllByText(text).length).toBeGreaterThan(0), { timeout: 120_000 })
  const copied = (sent: Awaited<ReturnType<typeof operation>>, outcome: object) =>
    act(async () => {
      environment.mock.resolve(sent, { data: { copyFiles: outcome } })
      await settle()
    })

  test('Copy to… says that it is at it, and when it is done', async () => {
    await showThree()
    fireEvent.click(row(0))
    fireEvent.click(row(2), { ctrlKey: true })
    fireEvent.contextMenu(row(2))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Copy to…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Copy 2 items' }, { timeout: 120_000 })
    const here = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Copy here' })
    expect(here.disabled).toBe(false)
    await act(async () => {
      fireEvent.click(here)
      await settle()
    })
    const sent = await operation('copyFilesMutation')
    expect(sent.request.variables).toEqual({ input: { ids: ['file_0', 'file_2'], parentId: null } })
    await toasts('Copying 2 items…')
    await copied(sent, { __typename: 'CopyFilesPayload', files: [] })
    await toasts('Copied 2 items')
  })

  test('Duplicate stays in the folder, and says why it did not work', async () => {
    await showThree()
    fireEvent.contextMenu(row(1))
    const duplicate = await screen.findByRole('menuitem', { name: 'Duplicate' })
    await act(async () => {
      fireEvent.click(duplicate)
      await settle()
    })
    await toasts('Copying “file 1.txt”…')
    const sent = await operation('copyFilesMutation')
    expect(sent.request.variables).toEqual({ input: { ids: ['file_1'], parentId: null } })
    await copied(sent, {
      __typename: 'StorageFullError',
      __isError: 'StorageFullError',
      code: 'STORAGE_FULL',
      message: 'There is no room.',
    })
    await toasts('Could not copy “file 1.txt”')
    await toasts('There is no room.')
  })

  test('Ctrl+C and Ctrl+V copy once; a cut row is moved instead', async () => {
    await showThree()
    fireEvent.click(row(0))
    key('c', { ctrlKey: true })
    await toasts('“file 0.txt” ready to paste')
    await act(async () => {
      key('v', { ctrlKey: true })
      await settle()
    })
    const copies = () =>
      environment.mock.getAllOperations().filter(({ request }) => request.node.operation.name === 'copyFilesMutation')
    expect(copies().map(({ request }) => request.variables)).toEqual([{ input: { ids: ['file_0'], parentId: null } }])
    key('v', { ctrlKey: true })
    key('c', { ctrlKey: true })
    key('x', { ctrlKey: true })
    await act(async () => {
      key('v', { ctrlKey: true })
      await settle()
    })
    expect(copies()).toHaveLength(1)
    expect((await operation('moveFilesMutation')).request.variables).toEqual({
      input: { ids: ['file_0'], parentId: null },
    })
  })

  test('a move that is a job takes no row away: it is done in the background', async () => {
    await showThree()
    fireEvent.click(row(0))
    key('x', { ctrlKey: true })
    await act(async () => {
      key('v', { ctrlKey: true })
      await settle()
    })
    const sent = await operation('moveFilesMutation')
    await act(async () => {
      const job = { id: 'job_1' }
      environment.mock.resolve(sent, {
        data: { moveFiles: { __typename: 'MoveFilesPayload', files: [], failures: [], job } },
      })
      await settle()
    })
    expect(row(0).textContent).toContain('file 0.txt')
    expect(screen.queryByText(/moved to/)).toBeNull()
  })

  test('one file is downloaded as it is', async () => {
    await showThree()
    fireEvent.contextMenu(row(2))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Download' }))
    expect(download).toHaveBeenCalledWith(expect.objectContaining({ id: 'file_2', name: 'file 2.txt', size: 10 }))
  })
})

describe('a native document', () => {
  const showDocument = async (exportTypes: string[]) => {
    await show('/file-manager/my-drive')
    const document = {
      nativeKind: 'DOCUMENT',
      mimeType: 'application/vnd.google-apps.document',
      size: null,
      exportTypes,
    }
    const account = { id: 'account_2', name: 'Studio', hue: 1, providerName: 'Google Drive' }
    const more = { ...document, account, webUrl: 'https://docs.google.com/document/d/x/edit' }
    await act(() => answerPage(environment, { from: 0, count: 1, hasNext: false, more }))
  }

  test('has a badge and no size, and is downloaded in a format from the menu, also with the keyboard', async () => {
    await showDocument(['docx', 'pdf'])
    expect(within(row(0)).getByText('Google Doc')).toBeTruthy()
    expect(within(row(0)).getAllByRole('img', { name: 'No size' }).length).toBeGreaterThan(0)
    fireEvent.contextMenu(row(0))
    await screen.findByRole('menuitem', { name: 'Open in Google Drive' })
    const item = screen.getByRole('menuitem', { name: 'Download as…' })
    expect(item.getAttribute('aria-haspopup')).toBe('menu')
    item.focus()
    fireEvent.keyDown(item, { key: 'ArrowRight' })
    const formats = screen.getByRole('menu', { name: 'Download as…' })
    const names = within(formats)
      .getAllByRole('menuitem')
      .map(({ textContent }) => textContent)
    expect(names).toEqual(['Word (.docx)', 'PDF (.pdf)'])
    fireEvent.keyDown(document.activeElement ?? formats, { key: 'ArrowLeft' })
    expect(screen.queryByRole('menu', { name: 'Download as…' })).toBeNull()
    fireEvent.click(screen.getByRole('menuitem', { name: 'Download as…' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'PDF (.pdf)' }))
    expect(screen.queryAllByRole('menu')).toEqual([])
    await waitFor(() =>
      expect(download).toHaveBeenCalledWith({
        id: 'file_0',
        name: 'file 0.txt.pdf',
        size: 0,
        downloadUrl: '/api/v1/files/file_0/export?type=pdf&disposition=attachment',
      }),
    )
  })

  test('that cannot be exported says why', async () => {
    await showDocument([])
    fireEvent.contextMenu(row(0))
    const item = await screen.findByRole('menuitem', { name: 'Download' })
    expect(item.getAttribute('aria-description')).toBe('This document can only be opened at its provider.')
  })
})

describe('filters', () => {
  const variables = async () => (await operation('filesPageQuery')).request.variables

  test('a folder of an account that is still being listed has no number of entries yet', async () => {
    await show('/file-manager/my-drive')
    const folder = { kind: 'FOLDER', category: 'FOLDER', size: 0, childCount: null }
    await act(() => answerPage(environment, { from: 0, count: 1, hasNext: false, more: folder }))
    expect(await screen.findByText('counting…')).toBeTruthy()
    expect(screen.queryByText('0 items')).toBeNull()
  })

  test('of place, time and size are in the address, asked for, and can be removed', async () => {
    await show('/file-manager?account=account_2&changed=week&size=huge')
    const start = new Date()
    start.setHours(0, 0, 0, 0)
    start.setDate(start.getDate() - 7)
    expect(await variables()).toMatchObject({
      accountId: 'account_2',
      home: null,
      modifiedAfter: start.toISOString(),
      modifiedBefore: null,
      minSize: 1024 ** 3,
      maxSize: null,
    })
    await act(() => answerPage(environment, { from: 0, count: 1, hasNext: false }))
    await screen.findByRole('button', { name: 'Where: Google Drive · Studio' })
    await screen.findByText(
      'Google Drive · Studio is still being listed: 12,400 found so far, so results may be missing.',
    )
    fireEvent.click(screen.getByRole('button', { name: 'Remove filter Where: Google Drive · Studio' }))
    expect(await screen.findByRole('button', { name: 'Where' })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    await screen.findByRole('button', { name: 'Changed' })
    expect(screen.queryByRole('button', { name: 'Clear filters' })).toBeNull()
  })

  test('one place replaces the other', async () => {
    await show('/file-manager?provider=google-drive')
    fireEvent.click(await screen.findByRole('button', { name: 'Where: Google Drive' }))
    const names = screen.getAllByRole('menuitemradio').map((item) => item.querySelector('.ell')?.textContent)
    expect(names).toEqual([
      'Anywhere',
      'In place in accounts',
      'Stored by Skypool',
      'This server',
      'Google Drive · Studio',
      'My Cloud',
      'All of Google Drive',
    ])
    fireEvent.click(screen.getByRole('menuitemradio', { name: 'In place in accounts' }))
    await screen.findByRole('button', { name: 'Where: In place in accounts' })
  })
})

describe('states', () => {
  test('an empty drive offers to fill it', async () => {
    await show('/file-manager/my-drive')
    await act(() => answerPage(environment, { from: 0, count: 0, hasNext: false }))
    expect(await screen.findByRole('heading', { name: 'My Drive is empty' })).toBeTruthy()
    expect(within(screen.getByRole('toolbar', { name: 'Files' })).getByRole('button', { name: 'New' })).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'New folder' }))
    expect(screen.getByRole('textbox', { name: 'New folder name' })).toBeTruthy()
  })

  test('a search without a filter has none to remove', async () => {
    await show('/file-manager?q=tender')
    await act(() => answerPage(environment, { from: 0, count: 0, hasNext: false }))
    expect(await screen.findByText('Searched in All Files. Check the spelling.')).toBeTruthy()
  })

  test('a search without a result says what was looked for and clears', async () => {
    await show('/file-manager?q=tender&type=pdf')
    await act(() => answerPage(environment, { from: 0, count: 0, hasNext: false }))
    expect(await screen.findByRole('heading', { name: 'No files match “tender”' })).toBeTruthy()
    expect(screen.getByText(/with Type: PDF\. Check the spelling\. Remove a filter to find more\.$/)).toBeTruthy()
    const main = screen.getByText(/with Type: PDF/).parentElement as HTMLElement
    fireEvent.click(within(main).getByRole('button', { name: 'Clear filters' }))
    await waitFor(async () =>
      expect((await operation('filesPageQuery')).request.variables).toMatchObject({ query: null }),
    )
  })

  test('a failure can be tried again', async () => {
    await show('/file-manager')
    const filesPageQuery = await operation('filesPageQuery')
    await act(async () => {
      environment.mock.reject(filesPageQuery, new Error('down'))
      await settle()
    })
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await act(() => answerPage(environment, { from: 0, count: 3, hasNext: false }))
    expect(row(0)).toBeTruthy()
  })

  test('a folder that is gone says so', async () => {
    await show('/file-manager/my-drive?folder=file_9')
    const useOpenFolderQuery = await operation('useOpenFolderQuery')
    await act(async () => {
      environment.mock.resolve(useOpenFolderQuery, { data: { viewer: { id: 'user_1', file: null } } })
      await settle()
    })
    expect(screen.getByRole('heading', { name: 'This folder no longer exists' })).toBeTruthy()
  })
})

describe('live changes', () => {
  test('a row removed elsewhere vanishes at once, and the list is read again', async () => {
    await showThree()
    fireEvent.click(row(1))
    vi.useFakeTimers()
    act(() => {
      filesChanges.say({ files: [], removedIds: ['file_1'], parentIds: [null], truncated: false })
    })
    expect(screen.queryByText('file 1.txt')).toBeNull()
    expect(screen.queryAllByRole('row', { selected: true })).toHaveLength(0)
    act(() => void vi.advanceTimersByTime(350))
    vi.useRealTimers()
    expect((await operation('filesPageQuery')).request.variables).toMatchObject({ after: null, until: null })
  })

  test('a row that is removed while its name is typed says so, and what is typed on acts on no other', async () => {
    await showThree('/file-manager/my-drive')
    fireEvent.click(row(1))
    await key('F2')
    fireEvent.change(screen.getByRole('textbox', { name: 'New name' }), { target: { value: 'report' } })
    act(() => {
      filesChanges.say({ files: [], removedIds: ['file_1'], parentIds: [null], truncated: false })
    })
    expect(await screen.findByText('“file 1.txt” is no longer here')).toBeTruthy()
    await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('rowgroup'))
    expect(screen.queryAllByRole('row', { selected: true })).toHaveLength(0)
    const sent = () => environment.mock.getAllOperations().map((one) => one.request.node.operation.name)
    // "u" would open the upload dialog, "f" select a file.
    for (const name of ['u', 'f', 'Delete', 'Backspace', 'Enter', 'Delete', 'Enter']) await key(name)
    expect(openUploadDialog).not.toHaveBeenCalled()
    expect(screen.queryAllByRole('row', { selected: true })).toHaveLength(0)
    expect(row(2)).toBeTruthy()
    expect(sent().filter((name) => name !== 'filesPageQuery')).toEqual([])
    await key('ArrowDown')
    expect(selected()).toEqual(['file 0.txt'])
    await key('u')
    expect(openUploadDialog).toHaveBeenCalledTimes(1)
  })
})
