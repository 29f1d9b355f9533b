import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDrafts } from '../../web/features/Editor/drafts.ts'
import { createEditing } from '../../web/features/Editor/editing.ts'

/** One file and one folder on a server. `lose`: the next answer is lost after the server has done what it was asked for. */
function serverWith(text: string) {
  const server = { text, copies: [] as { name: string; parentId: string | null; text: string }[], lose: false }
  const gates: Promise<void>[] = []
  const answer = async ({ method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const etag = `"${server.text}"`
    if (method === 'GET') {
      const known = new Headers(headers).get('If-None-Match')
      return known === etag ? new Response(null, { status: 304 }) : new Response(server.text, { headers: { etag } })
    }
    if (method === 'PUT') {
      if (new Headers(headers).get('If-Match') !== etag) return Response.json({ detail: 'Changed.' }, { status: 412 })
      server.text = new TextDecoder().decode(body as Uint8Array)
      return Response.json({ sha256: server.text })
    }
    const form = body as FormData
    const parentId = form.get('parentId') as string | null
    if (parentId === 'gone') return Response.json({ detail: 'There is no such folder.' }, { status: 404 })
    const copy = { name: (form.get('file') as File).name, parentId, text: await (form.get('file') as File).text() }
    server.copies.push(copy)
    return Response.json({ id: `copy ${server.copies.length}`, sha256: copy.text })
  }
  vi.stubGlobal('fetch', async (_url: string, init: RequestInit = {}) => {
    await gates.shift()
    const response = await answer(init)
    if (!server.lose) return response
    server.lose = false
    throw new TypeError('The connection was lost')
  })
  /** Holds the next request until the returned function is called. */
  const holdNext = () => {
    let letGo = () => {}
    gates.push(
      new Promise((resolve) => {
        letGo = resolve
      }),
    )
    return () => letGo()
  }
  return Object.assign(server, { holdNext })
}

/** A tab that edits the file. Tabs of one browser share `drafts`. */
function open(text: string, { drafts = createDrafts('u1', localStorage), at = 1, parentId = 'folder' } = {}) {
  const file = { id: 'f1', name: 'Brief.md', downloadUrl: '/download', parentId }
  const content = { bytes: new TextEncoder().encode(text), etag: `"${text}"`, writtenAt: 0 }
  return createEditing(file, content, { drafts, now: () => at })
}

afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
})

describe('a save whose answer was lost', () => {
  it('is no conflict with what was typed since', async () => {
    const server = serverWith('one')
    const editing = open('one')
    editing.type('one two')
    server.lose = true
    await editing.save()
    expect(editing.state()).toMatchObject({ isOffline: true, theirs: null })
    editing.type('one two three')
    await editing.save()
    expect(editing.state()).toMatchObject({ theirs: null, savedText: 'one two three', isOffline: false })
    expect(server.text).toBe('one two three')
  })

  it('is found, and what was typed since is saved when the server is there again', async () => {
    const server = serverWith('one')
    const editing = open('one')
    editing.type('one two')
    server.lose = true
    await editing.save()
    editing.type('one two three')
    await editing.check()
    expect(editing.state()).toMatchObject({ theirs: null, savedText: 'one two three', isOffline: false })
    expect(server.text).toBe('one two three')
  })

  it('is a conflict when others have saved since', async () => {
    const server = serverWith('one')
    const editing = open('one')
    editing.type('one two')
    server.lose = true
    await editing.save()
    server.text = 'theirs'
    await editing.check()
    expect(editing.state()).toMatchObject({ theirs: { text: 'theirs' }, text: 'one two' })
    expect(server.text).toBe('theirs')
  })
})

describe('a conflict', () => {
  it('ends when the other version is undone', async () => {
    const server = serverWith('one')
    const editing = open('one')
    editing.type('mine')
    server.text = 'theirs'
    await editing.save()
    expect(editing.state().theirs?.text).toBe('theirs')
    server.text = 'one'
    await editing.check()
    expect(editing.state().theirs).toBeNull()
    await editing.save()
    expect(server.text).toBe('mine')
  })

  it('is decided for mine although the other version was undone unheard', async () => {
    const server = serverWith('one')
    const editing = open('one')
    editing.type('mine')
    server.text = 'theirs'
    await editing.save()
    server.text = 'one'
    await editing.saveOverTheirs()
    expect(server.text).toBe('mine')
    expect(editing.state()).toMatchObject({ theirs: null, savedText: 'mine' })
  })
})

describe('a copy', () => {
  it('is offered what was typed while it was saved', async () => {
    const server = serverWith('one')
    const drafts = createDrafts('u1', localStorage)
    const editing = open('one', { drafts })
    editing.type('mine')
    const letGo = server.holdNext()
    const saving = editing.saveCopy('Copy.md')
    editing.type('mine, and more')
    letGo()
    expect(await saving).toBe('copy 1')
    expect(server.copies).toEqual([{ name: 'Copy.md', parentId: 'folder', text: 'mine' }])
    expect(drafts.read('copy 1')).toMatchObject({ text: 'mine, and more', base: '"mine"' })
    expect(drafts.read('f1')).toBeNull()
  })

  it('is saved in My Drive when the folder of the file is gone', async () => {
    const server = serverWith('one')
    const editing = open('one', { parentId: 'gone' })
    editing.type('mine')
    expect(await editing.saveCopy('Copy.md')).toBe('copy 1')
    expect(server.copies).toEqual([{ name: 'Copy.md', parentId: null, text: 'mine' }])
    expect(editing.state().problem).toBeNull()
  })
})

describe('unsaved text on this device', () => {
  it('stays when another tab with the same file is closed', () => {
    const drafts = createDrafts('u1', localStorage)
    const mine = open('one', { drafts, at: 1 })
    const other = open('one', { drafts, at: 2 })
    const close = other.start()
    mine.type('mine')
    mine.keep()
    close()
    expect(drafts.read('f1')).toMatchObject({ text: 'mine' })
    mine.discard()
    expect(drafts.read('f1')).toBeNull()
  })
})
