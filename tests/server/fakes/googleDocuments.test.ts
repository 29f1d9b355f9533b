import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, type Harness, OTHER, reasonOf, startGoogle, USER } from './googleHarness.ts'

let google: Harness
let api: Api
let other: Api
beforeAll(async () => {
  google = await startGoogle()
  api = google.api()
  other = google.api(OTHER)
})
afterAll(() => google.close())

const TYPE = 'application/vnd.google-apps.'

type Formats = { readonly exportFormats: Readonly<Record<string, readonly string[]>> }

async function plant(name: string, type: string, more: object = {}): Promise<string> {
  const { id = '' } = await google.commands.plant({ user: USER, name, mimeType: TYPE + type, ...more })
  return id
}

describe('documents of the emulated Drive', () => {
  it('have a size and no bytes, and are exported in some formats', async () => {
    const id = await plant('Report', 'document')
    const fields = 'size,md5Checksum,headRevisionId,webViewLink,capabilities(canDownload)'
    expect((await api.get(`/files/${id}?fields=${fields}`)).json).toEqual({
      size: '1024',
      webViewLink: `https://docs.google.com/document/d/${id}/edit?usp=drivesdk`,
      capabilities: { canDownload: true },
    })
    expect(reasonOf(await api.get(`/files/${id}?alt=media`))).toBe('fileNotDownloadable')
    const exported = await api.get(`/files/${id}/export?mimeType=application/pdf`)
    expect(exported.headers.get('content-type')).toBe('application/pdf')
    expect(exported.bytes.toString()).toMatch(/^%PDF-1\.4\n.*\(Report as application\/pdf\).*%%EOF\n$/s)
    expect(reasonOf(await api.get(`/files/${id}/export?mimeType=image/png`))).toBe('badRequest')
    expect(reasonOf(await api.get(`/files/${id}/export`))).toBe('required')
    const formats = (await api.get('/about?fields=exportFormats')).json as unknown as Formats
    expect(formats.exportFormats[`${TYPE}drawing`]).toContain('image/svg+xml')
  })

  it('are not files with bytes, folders or shortcuts, which cannot be exported', async () => {
    const target = await api.make('bytes', 'abc')
    const ids = [target, await plant('folder', 'folder'), await plant('shortcut', 'shortcut', { target })]
    for (const id of ids) {
      expect(reasonOf(await api.get(`/files/${id}/export?mimeType=text/plain`))).toBe('fileNotExportable')
    }
    expect((await api.get(`/files/${ids[2]}?fields=shortcutDetails,size`)).json).toEqual({
      shortcutDetails: { targetId: target, targetMimeType: 'application/octet-stream' },
    })
  })
})

describe('what a user of the emulated Drive may do', () => {
  const capabilities = async (id: string, by = other) => {
    const fields = 'capabilities(canEdit,canDownload,canTrash,canRename,canMoveItemWithinDrive,canShare)'
    return (await by.get(`/files/${id}?fields=${fields}`)).json.capabilities
  }
  const all = {
    canEdit: true,
    canDownload: true,
    canTrash: true,
    canRename: true,
    canMoveItemWithinDrive: true,
    canShare: true,
  }
  const none = Object.fromEntries(Object.keys(all).map((name) => [name, false]))

  it('depends on the role, and on whether readers may download', async () => {
    const id = await api.make('shared', 'abc')
    expect(await capabilities(id, api)).toEqual(all)
    google.commands.share({ user: USER, id, with: OTHER, role: 'reader' })
    expect(await capabilities(id)).toEqual({ ...none, canDownload: true })
    await google.commands.alter({ user: USER, id, restricted: true })
    expect(await capabilities(id)).toEqual(none)
    expect(reasonOf(await other.get(`/files/${id}?alt=media`))).toBe('cannotDownloadFile')
    expect((await api.get(`/files/${id}?alt=media`)).bytes.toString()).toBe('abc')
    google.commands.share({ user: USER, id, with: OTHER, role: 'writer' })
    expect(await capabilities(id)).toEqual({ ...all, canTrash: false })
    expect(await capabilities('root', api)).toEqual({ ...none, canEdit: true })
  })

  it('covers what is in a shared folder, and ends with a change that says removed', async () => {
    const folder = await plant('shared folder', 'folder')
    const inside = await api.make('inside', 'abc', { parents: [folder] })
    google.commands.share({ user: USER, id: folder, with: OTHER, role: 'reader' })
    const list = async (q: string) =>
      (await other.get(`/files?q=${encodeURIComponent(q)}&fields=files(id,parents)`)).json
    expect(await list("name contains 'inside'")).toEqual({ files: [{ id: inside, parents: [folder] }] })
    expect(await list(`mimeType = '${TYPE}folder'`)).toEqual({ files: [{ id: folder }] })
    const start = (await other.get('/changes/startPageToken')).json.startPageToken
    google.commands.share({ user: USER, id: folder, with: OTHER, role: null })
    const { json } = await other.get(`/changes?pageToken=${start}&fields=changes(fileId,removed)`)
    expect(json).toEqual({ changes: [{ fileId: folder, removed: true }] })
    expect(await list("name contains 'inside'")).toEqual({ files: [] })
  })

  it('is not seen in the changes of the own drive alone', async () => {
    const id = await api.make('shared', 'abc')
    const start = (await other.get('/changes/startPageToken')).json.startPageToken
    google.commands.share({ user: USER, id, with: OTHER, role: 'reader' })
    const changes = async (more: string) =>
      (await other.get(`/changes?pageToken=${start}&fields=changes(fileId)${more}`)).json
    expect(await changes('')).toEqual({ changes: [{ fileId: id }] })
    expect(await changes('&restrictToMyDrive=true')).toEqual({ changes: [] })
  })
})
