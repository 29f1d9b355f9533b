import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UploadDialog } from '../../web/features/Upload/UploadDialog.tsx'
import { startFakeTus } from './support/fakeTus.ts'
import { renderPage, setPageUrl } from './support/renderPage.tsx'

let server: Awaited<ReturnType<typeof startFakeTus>>

beforeEach(async () => {
  server = await startFakeTus()
  setPageUrl(server.origin)
})
afterEach(() => server.close())

const groupCloud = (id: string, name: string, defaultUploadGroup: boolean) => ({
  id,
  name,
  defaultUploadGroup,
  quota: { freeBytes: 3 * 1024 ** 3 },
  members: [{ account: { id: 'acc_1', hue: 0 } }],
})

const DATA = {
  viewer: { id: 'user_1', groupClouds: [groupCloud('gcl_2', 'Archive', false), groupCloud('gcl_1', 'Studio', true)] },
  server: {
    uploadTypes: [
      { mimeType: 'text/*', extensions: ['.txt', '.md'] },
      { mimeType: 'image/*', extensions: [] },
    ],
  },
}

async function openDialog(data: object = DATA) {
  let closed = 0
  const page = renderPage(
    <UploadDialog folder={{ id: 'file_trip', name: 'Trip', isInAccount: false }} onClose={() => closed++} />,
  )
  const asked = page.environment.mock
    .getAllOperations()
    .find(({ request }) => request.node.params.name === 'UploadDialogQuery')
  if (!asked) throw new Error('The dialog asks for nothing.')
  act(() => page.environment.mock.resolve(asked, { data: data as never }))
  await screen.findByText('Drag and drop files here or click to browse')
  const choose = async (...files: File[]) => {
    const input = document.querySelector<HTMLInputElement>('input[type=file]:not([hidden])')
    if (!input) throw new Error('No file input')
    await userEvent.upload(input, files, { applyAccept: false })
  }
  const uploadButton = () =>
    screen.getByRole<HTMLButtonElement>('button', { name: /^(Upload|Uploading\.\.\.|Uploaded)$/ })
  return { ...page, choose, uploadButton, closed: () => closed }
}

const file = (name: string, bytes = 'hello', type = 'text/plain') => new File([bytes], name, { type })

test('the default group cloud is chosen, and its place is said', async () => {
  const { uploadButton, environment } = await openDialog()
  const asked = environment.mock
    .getAllOperations()
    .find(({ request }) => request.node.params.name === 'GroupCloudSelectQuery')
  if (!asked) throw new Error('The place is not asked for.')
  expect(asked.request.variables).toEqual({ id: 'gcl_1' })
  const placementPreview = { why: 'The next file goes to Studio.' }
  const data = { node: { __typename: 'GroupCloud', id: 'gcl_1', placementPreview } }
  await act(async () => environment.mock.resolve(asked, { data: data as never }))
  expect(screen.getByText('Select Group Cloud')).toBeTruthy()
  expect(screen.getByText('Studio (Default)')).toBeTruthy()
  expect(screen.getByText('3.00 GB free')).toBeTruthy()
  expect(screen.getByText('The next file goes to Studio.')).toBeTruthy()
  expect(screen.getByText('Supports images, PDFs, videos, audio, and documents')).toBeTruthy()
  expect(screen.getByText('Total: 0 file(s) (0 Bytes)')).toBeTruthy()
  expect(uploadButton().disabled).toBe(true)
})

test('it is there at once, and stays the same when it knows where files go', async () => {
  const { environment } = renderPage(<UploadDialog folder={null} onClose={() => undefined} />)
  const dialog = await screen.findByRole('dialog', { name: 'Upload Files' })
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Upload' }).disabled).toBe(true)
  act(() => environment.mock.resolveMostRecentOperation({ data: DATA as never }))
  await screen.findByText('Studio (Default)')
  expect(screen.getByRole('dialog', { name: 'Upload Files' })).toBe(dialog)
})

test('without a default nothing is chosen, and nothing can be uploaded', async () => {
  const viewer = { id: 'user_1', groupClouds: [groupCloud('gcl_2', 'Archive', false)] }
  const { choose, uploadButton } = await openDialog({ ...DATA, viewer })
  expect(screen.getByText('Select a group cloud')).toBeTruthy()
  await choose(file('a.txt'))
  expect(uploadButton().disabled).toBe(true)
})

test('chosen files are listed with their sizes and can be taken out again', async () => {
  const { choose, uploadButton } = await openDialog()
  await choose(file('a.txt'), file('b.txt', 'x'.repeat(1536)))
  expect(screen.getByRole('heading', { name: 'Files to upload (2)' })).toBeTruthy()
  expect(screen.getByText('1.50 KB')).toBeTruthy()
  expect(screen.getByText('Total: 2 file(s) (1.50 KB)')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Remove b.txt' }))
  expect(screen.getByText('Total: 1 file(s) (5 Bytes)')).toBeTruthy()
  expect(uploadButton().disabled).toBe(false)
})

test('a type that the server does not take is refused by name, the rest is kept', async () => {
  const { choose } = await openDialog()
  await choose(file('run.exe', 'MZ', 'application/x-msdownload'), file('a.txt'))
  expect(screen.getByRole('alert').textContent).toBe('run.exe: this type of file is not accepted here.')
  expect(screen.getByRole('heading', { name: 'Files to upload (1)' })).toBeTruthy()
})

test('uploads into the open folder and the chosen group cloud, and says so', async () => {
  const { choose, uploadButton } = await openDialog()
  await choose(file('a.txt'), file('b.txt'))
  let open: () => void = () => undefined
  server.gate.open = new Promise((resolve) => {
    open = resolve
  })
  await userEvent.click(uploadButton())
  expect(uploadButton().textContent).toBe('Uploading...')
  expect(uploadButton().disabled).toBe(true)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Remove a.txt' }).disabled).toBe(true)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Select Group Cloud' }).disabled).toBe(true)
  open()
  await waitFor(() => expect(uploadButton().textContent).toBe('Uploaded'))
  expect(uploadButton().disabled).toBe(true)
  await screen.findByText('Upload Complete')
  expect(screen.getByText('Successfully uploaded 2 file(s) to Studio')).toBeTruthy()
  expect(server.files.map(({ metadata }) => [metadata.parentId, metadata.groupCloudId])).toEqual([
    ['file_trip', 'gcl_1'],
    ['file_trip', 'gcl_1'],
  ])
})

test('a file that failed says why and goes again with the same button', async () => {
  const { choose, uploadButton } = await openDialog()
  server.faults.push({ method: 'POST', status: 507, body: '{"code":"STORAGE_FULL","detail":"No room for it."}' })
  await choose(file('a.txt'))
  await userEvent.click(uploadButton())
  await waitFor(() => expect(screen.getAllByText('No room for it.').length).toBeGreaterThan(0))
  expect(uploadButton().textContent).toBe('Upload')
  await userEvent.click(uploadButton())
  await waitFor(() => expect(uploadButton().textContent).toBe('Uploaded'))
})

test('Cancel closes the dialog', async () => {
  const { closed } = await openDialog()
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(closed()).toBe(1)
})
