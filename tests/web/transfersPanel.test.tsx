import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createResumeStore } from '../../web/features/Transfers/resumeStore.ts'
import { TransfersDock } from '../../web/features/Transfers/TransfersDock.tsx'
import { type Transfers, useTransfers, useUploadsFinished } from '../../web/features/Transfers/transfersContext.ts'
import { fileEntries } from '../../web/lib/dropEntries.ts'
import { startFakeTus } from './support/fakeTus.ts'
import { renderPage, setMobile, setPageUrl } from './support/renderPage.tsx'

let server: Awaited<ReturnType<typeof startFakeTus>>

beforeEach(async () => {
  server = await startFakeTus()
  setPageUrl(server.origin)
  setMobile(false)
  document.title = 'My Drive'
})
afterEach(async () => {
  localStorage.clear()
  vi.restoreAllMocks()
  await server.close()
})

const TARGET = { parentId: null, groupCloudId: null, place: 'Trip' }
const file = (name: string) => new File(['hello'], name, { type: 'text/plain', lastModified: 5 })

function openPage(extra?: React.ReactNode) {
  const page: { transfers: Transfers | null; refetches: number } = { transfers: null, refetches: 0 }
  function Screen() {
    const transfers = useTransfers()
    useUploadsFinished(() => page.refetches++)
    useEffect(() => {
      page.transfers = transfers
    }, [transfers])
    return extra
  }
  const view = renderPage(<Screen />)
  const upload = (...names: string[]) =>
    act(async () => void page.transfers?.upload(fileEntries(names.map((name) => file(name))), TARGET))
  return { ...view, page, upload }
}

/** Holds every answer of the server back until the returned function is called. */
function holdServer(): () => void {
  let open: () => void = () => undefined
  server.gate.open = new Promise((resolve) => {
    open = resolve
  })
  return open
}

const panel = () => screen.findByRole('region', { name: 'Transfers' })

test('nothing is shown while there is nothing to show', () => {
  openPage()
  expect(screen.queryByRole('region', { name: 'Transfers' })).toBeNull()
})

test('says how far it is, in the panel and in the title, and what came of it', async () => {
  const { upload, page } = openPage()
  const open = holdServer()
  await upload('a.txt', 'b.txt')
  expect(within(await panel()).getByText('Uploading 1 of 2')).toBeTruthy()
  expect(screen.getAllByText('to Trip · 5 Bytes')).toHaveLength(2)
  expect(document.title).toMatch(/^\d+% · My Drive$/)
  open()
  await screen.findByText('2 files uploaded')
  expect(screen.getAllByText('Uploaded')).toHaveLength(2)
  expect(document.title).toBe('My Drive')
  await screen.findByText('2 files uploaded.')
  await waitFor(() => expect(page.refetches).toBe(1))
})

test('the browser warns before leaving only while bytes move', async () => {
  const { upload } = openPage()
  const isWarned = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(isWarned()).toBe(false)
  const open = holdServer()
  await upload('a.txt')
  await waitFor(() => expect(isWarned()).toBe(true))
  open()
  await screen.findByText('1 file uploaded')
  expect(isWarned()).toBe(false)
})

test('one file is paused, resumed and cancelled by its own buttons', async () => {
  const { upload } = openPage()
  const open = holdServer()
  await upload('a.txt')
  await userEvent.click(await screen.findByRole('button', { name: 'Pause a.txt' }))
  await screen.findByText('Paused, 1 of 1')
  await userEvent.click(screen.getByRole('button', { name: 'Resume a.txt' }))
  await screen.findByText('Uploading 1 of 1')
  await userEvent.click(screen.getByRole('button', { name: 'Cancel a.txt' }))
  await waitFor(() => expect(screen.queryByText('a.txt')).toBeNull())
  open()
})

test('all are paused and go on together', async () => {
  const { upload } = openPage()
  const open = holdServer()
  await upload('1.txt', '2.txt', '3.txt', '4.txt', '5.txt')
  await userEvent.click(await screen.findByRole('button', { name: 'Pause all' }))
  await waitFor(() => expect(screen.getAllByText('Paused')).toHaveLength(5))
  await userEvent.click(screen.getByRole('button', { name: 'Resume all' }))
  open()
  await screen.findByText('5 files uploaded')
})

test('failures say why, and can be tried again one by one or all at once', async () => {
  const { upload } = openPage()
  const fault = { method: 'POST', status: 507, body: '{"code":"STORAGE_FULL","detail":"No room for it."}' }
  server.faults.push(fault, fault)
  await upload('a.txt', 'b.txt')
  await waitFor(() => expect(screen.getAllByText('No room for it.')).toHaveLength(2))
  expect(within(await panel()).getByText('2 files failed')).toBeTruthy()
  await screen.findByText('2 files failed. See the transfers panel.')
  expect(screen.getByRole('button', { name: 'Retry a.txt' })).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Retry all' }))
  await screen.findByText('2 files uploaded')
  await userEvent.click(screen.getByRole('button', { name: 'Clear finished' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Transfers' })).toBeNull())
})

test('a taken name is asked about; closing the question leaves it in the panel', async () => {
  const { upload } = openPage()
  await upload('a.txt')
  await screen.findByText('1 file uploaded')
  await upload('a.txt')
  const question = await screen.findByRole('alertdialog', { name: 'This name is taken' })
  expect(question.textContent).toContain('Trip already has a file named “a.txt”.')
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: 'Choose what to do with a.txt' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Keep both' }))
  await screen.findByText('1 file uploaded')
  expect(server.files.map(({ metadata }) => metadata.onConflict)).toEqual(['FAIL', 'RENAME'])
})

test('what was skipped is not called uploaded', async () => {
  const { upload } = openPage()
  await upload('a.txt')
  await screen.findByText('1 file uploaded')
  await upload('a.txt')
  await userEvent.click(await screen.findByRole('button', { name: 'Skip' }))
  await screen.findByText('1 file skipped')
  expect(server.files).toHaveLength(1)
})

test('unfinished uploads of an earlier visit go on when their files are chosen again', async () => {
  const bytes = Buffer.alloc(9 * 1024 * 1024, 7)
  server.uploads.set('/uploads/1', {
    metadata: { filename: 'big.bin' },
    size: bytes.length,
    bytes: bytes.subarray(0, 100),
  })
  createResumeStore('user_1').remember({
    uploadUrl: `${server.origin}/uploads/1`,
    name: 'big.bin',
    size: bytes.length,
    lastModified: 5,
    parentId: null,
    groupCloudId: null,
    place: 'Trip',
  })
  openPage()
  await screen.findByRole('button', { name: 'Resume 1 upload' })
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('No file input')
  await userEvent.upload(input, file('other.txt'))
  await screen.findByText('None of the selected files matches. Choose the same, unchanged files.')
  await userEvent.upload(input, new File([bytes], 'big.bin', { lastModified: 5 }))
  await screen.findByText('1 file uploaded')
  expect(server.files[0]?.bytes.length).toBe(bytes.length)
})

test('with the details open it stands below them instead of floating', async () => {
  const { upload } = openPage(
    <div data-testid="rail">
      <TransfersDock />
    </div>,
  )
  await upload('a.txt')
  await screen.findByText('1 file uploaded')
  expect(screen.getByTestId('rail').contains(await panel())).toBe(true)
})

test('on a narrow screen it is a pill that opens a sheet', async () => {
  setMobile(true)
  const { upload } = openPage()
  await upload('a.txt')
  await userEvent.click(await screen.findByRole('button', { name: /1 file uploaded/ }))
  const sheet = await screen.findByRole('dialog', { name: 'Transfers' })
  expect(within(sheet).getByText('Uploaded')).toBeTruthy()
})

test('a failed download is logged, its progress cleared, and it can be tried again', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download)
  })
  const answers = [new Response('', { status: 500 }), new Response('hello')]
  vi.spyOn(window, 'fetch').mockImplementation(() => Promise.resolve(answers.shift() as never))
  const { page } = openPage()
  act(() =>
    page.transfers?.download({ id: 'file_1', name: 'Plan.pdf', size: 5, downloadUrl: '/api/v1/files/1/download' }),
  )
  await screen.findByText('The server could not send the file. Retry in a moment.')
  expect(logged).toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Retry Plan.pdf' }))
  await screen.findByText('1 file downloaded')
  expect(saved).toEqual(['Plan.pdf'])
})

test('a large download is the browser’s own', async () => {
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(new URL(this.href).pathname)
  })
  const asked = vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null))
  const { page } = openPage()
  page.transfers?.download({ id: 'f', name: 'Film.mov', size: 65 * 1024 ** 2, downloadUrl: '/api/v1/files/f/download' })
  await waitFor(() => expect(saved).toEqual(['/api/v1/files/f/download']))
  expect(asked).toHaveBeenCalledWith('/api/v1/files/f/download', { method: 'HEAD' })
  expect(screen.queryByRole('region', { name: 'Transfers' })).toBeNull()
})
