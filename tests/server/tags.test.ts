import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConflictError, InvalidInputError, NameTakenError, NotFoundError } from '../../server/domain/errors.ts'
import type { EachAction, ListFiles } from '../../server/domain/files/contract.ts'
import { createTagsService, type TagsService } from '../../server/domain/tags/service.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

/** A user's own tags, and the colours of folders. */
let domain: FilesDomain
let tags: TagsService
let ada: Awaited<ReturnType<typeof createOwner>>
let bob: Awaited<ReturnType<typeof createOwner>>

beforeAll(async () => {
  domain = await startFilesDomain()
  tags = createTagsService(domain.deps)
})
beforeEach(async () => {
  ada = await createOwner(domain.pool)
  bob = await createOwner(domain.pool)
  domain.events.length = 0
})
afterAll(() => domain.close())

const make = (name: string, owner = ada) => tags.create(owner.viewer, { name, color: 'BLUE' })
const file = (name: string, parentId: string | null = null, owner = ada) =>
  createFile(domain, { userId: owner.viewer.userId, name, parentId, content: name })
const folder = (name: string, owner = ada) =>
  createFolder(domain, { userId: owner.viewer.userId, name, parentId: null })
const change = (ids: readonly string[], action: EachAction, owner = ada) =>
  domain.files.changeEach(owner.viewer, ids, action)
const add = (ids: readonly string[], ...tagIds: string[]) => change(ids, { kind: 'TAG', addIds: tagIds, removeIds: [] })
const remove = (ids: readonly string[], ...tagIds: string[]) =>
  change(ids, { kind: 'TAG', addIds: [], removeIds: tagIds })
const namesOn = async (id: string, owner = ada) =>
  ((await tags.ofFiles(owner.viewer, [id])).get(id) ?? []).map(({ name }) => name)
const found = async (options: Partial<ListFiles>, owner = ada) => {
  const { items } = await domain.files.list(owner.viewer, { view: 'ALL', limit: 50, ...options })
  return items.map((item) => item.file.name).sort()
}

describe('tags', () => {
  it('are created, renamed, recoloured, listed by name and deleted', async () => {
    const work = await make('work')
    await make('Äpfel')
    expect((await tags.list(ada.viewer)).map(({ name }) => name)).toEqual(['work', 'Äpfel'])
    expect(await tags.update(ada.viewer, work.id, { name: ' Office ', color: 'RED' })).toMatchObject({
      id: work.id,
      name: 'Office',
      color: 'RED',
    })
    expect(await tags.update(ada.viewer, work.id, { name: 'OFFICE' })).toMatchObject({ name: 'OFFICE', color: 'RED' })
    await tags.remove(ada.viewer, work.id)
    expect((await tags.list(ada.viewer)).map(({ name }) => name)).toEqual(['Äpfel'])
    const topics = domain.events.map(({ topic }) => topic)
    expect(topics).toEqual(['tagsChanged', 'tagsChanged', 'tagsChanged', 'tagsChanged', 'tagsChanged'])
  })

  it('have names that are unique for their user, ignoring case', async () => {
    const work = await make('Straße')
    const other = await make('Other')
    await expect(make('STRASSE')).rejects.toThrow(NameTakenError)
    await expect(tags.update(ada.viewer, other.id, { name: 'strasse' })).rejects.toThrow(NameTakenError)
    expect(await make('Straße', bob)).toMatchObject({ name: work.name })
  })

  it.each([['', ' ', 'a\nb', '\ud800', 'x'.repeat(51)]])('refuse the name %j', async (...names) => {
    for (const name of names) await expect(make(name)).rejects.toThrow(InvalidInputError)
  })

  it('have names of up to 50 characters', async () => {
    expect((await make('🎉'.repeat(50))).name).toBe('🎉'.repeat(50))
  })

  it('are at most 100 for a user, also when they are created at the same time', async () => {
    for (let number = 0; number < 97; number += 1) await make(`tag ${number}`)
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, (_, number) => make(`more ${number}`)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ConflictError)
    }
    await make('of Bob', bob)
  })

  it('are created once for an Idempotency-Key', async () => {
    const input = { name: 'Once', color: 'RED' } as const
    const first = await tags.create(ada.viewer, input, 'key')
    expect(await tags.create(ada.viewer, input, 'key')).toEqual(first)
  })

  it('of others do not exist', async () => {
    const theirs = await make('Theirs', bob)
    const own = await make('Own')
    const id = await file('a.txt')
    await expect(tags.update(ada.viewer, theirs.id, { name: 'Mine' })).rejects.toThrow(NotFoundError)
    await expect(tags.remove(ada.viewer, theirs.id)).rejects.toThrow(NotFoundError)
    await expect(add([id], theirs.id)).rejects.toThrow(NotFoundError)
    await expect(remove([id], theirs.id)).rejects.toThrow(NotFoundError)
    await expect(add([id], own.id, newId())).rejects.toThrow(NotFoundError)
    expect(await tags.getMany(ada.viewer, [theirs.id])).toEqual([null])
    expect(await tags.counts(ada.viewer, [theirs.id])).toEqual(new Map())
    const foreign = await file('b.txt', null, bob)
    expect((await add([foreign, id], own.id)).map(({ error }) => error?.code)).toEqual(['NOT_FOUND', undefined])
    expect(await namesOn(foreign)).toEqual([])
    expect(await found({ tagId: theirs.id })).toEqual([])
  })
})

describe('files', () => {
  it('get and lose several tags at once', async () => {
    const [one, two] = [await make('One'), await make('two')]
    const ids = [await file('a.txt'), await folder('Folder')]
    expect((await add(ids, one.id, two.id)).every(({ error }) => error === null)).toBe(true)
    for (const id of ids) expect(await namesOn(id)).toEqual(['One', 'two'])
    await add(ids, one.id)
    await remove(ids.slice(0, 1), one.id)
    expect(await namesOn(ids[0] ?? '')).toEqual(['two'])
    expect(await tags.counts(ada.viewer, [one.id, two.id])).toEqual(
      new Map([
        [one.id, 1],
        [two.id, 2],
      ]),
    )
    expect(domain.told.at(-1)?.fileIds).toEqual([ids[0]])
  })

  it('are filtered by a tag, in each view and with other filters', async () => {
    const tag = await make('Tag')
    const inner = await folder('Inner')
    const [a, b] = [await file('a.txt'), await file('b.txt', inner)]
    await file('c.txt')
    await add([a, b, inner], tag.id)
    const { tagId } = { tagId: tag.id }
    expect(await found({ tagId })).toEqual(['Inner', 'a.txt', 'b.txt'])
    expect(await found({ tagId, query: 'b.t' })).toEqual(['b.txt'])
    expect(await found({ tagId, query: 'b' })).toEqual(['b.txt'])
    expect(await found({ tagId, view: 'DRIVE', parentId: null })).toEqual(['Inner', 'a.txt'])
    const summary = await domain.files.summarize(ada.viewer, { list: { view: 'ALL', tagId } })
    expect(summary).toMatchObject({ count: 3, files: 2, folders: 1 })
  })

  it('keep their tags when they are renamed, moved, trashed and restored', async () => {
    const tag = await make('Tag')
    const id = await file('a.txt')
    await add([id], tag.id)
    await domain.files.rename(ada.viewer, id, 'b.txt')
    await domain.files.move(ada.viewer, [id], await folder('Folder'))
    await domain.files.trash(ada.viewer, [id])
    expect(await found({ tagId: tag.id })).toEqual([])
    expect(await tags.counts(ada.viewer, [tag.id])).toEqual(new Map([[tag.id, 0]]))
    expect(await found({ tagId: tag.id, view: 'TRASH' })).toEqual(['b.txt'])
    await domain.files.restore(ada.viewer, [id])
    expect(await namesOn(id)).toEqual(['Tag'])
    expect(await found({ tagId: tag.id })).toEqual(['b.txt'])
  })

  it('take their tags with them when they are deleted, and stay when a tag is', async () => {
    const [tag, other] = [await make('Tag'), await make('Other')]
    const [gone, kept] = [await file('gone.txt'), await file('kept.txt')]
    await add([gone, kept], tag.id, other.id)
    await domain.files.remove(ada.viewer, [gone])
    expect(await tags.counts(ada.viewer, [tag.id])).toEqual(new Map([[tag.id, 1]]))
    await domain.runJobs()
    const { rows } = await domain.pool.query('select file_id from file_tags where tag_id = $1', [tag.id])
    expect(rows).toEqual([{ file_id: kept }])
    await tags.remove(ada.viewer, tag.id)
    expect(await namesOn(kept)).toEqual(['Other'])
    expect(domain.told.at(-1)).toMatchObject({ fileIds: [kept], truncated: false })
  })

  it('are not tagged with a tag that is being deleted', async () => {
    const [tag, other] = [await make('Tag'), await make('Other')]
    const id = await file('a.txt')
    const deleting = await domain.pool.connect()
    try {
      await deleting.query('begin')
      await deleting.query('delete from tags where id = $1', [tag.id])
      const tagging = add([id], tag.id, other.id)
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      await expect.poll(async () => (await domain.pool.query(waiting)).rowCount).toBe(1)
      await deleting.query('commit')
      expect((await tagging).map(({ error }) => error)).toEqual([null])
    } finally {
      deleting.release()
    }
    expect(await namesOn(id)).toEqual(['Other'])
  })

  it('of a whole list are tagged', async () => {
    const tag = await make('Tag')
    const ids = [await file('a.txt'), await file('b.txt'), await file('c.pdf')]
    const action = { kind: 'TAG', addIds: [tag.id], removeIds: [] } as const
    const list = { view: 'ALL', query: '.txt' } as const
    expect(await domain.files.changeSelection(ada.viewer, { list, action })).toMatchObject({ changedCount: 2 })
    expect(await Promise.all(ids.map((id) => namesOn(id)))).toEqual([['Tag'], ['Tag'], []])
  })

  it('that are in an account are tagged too, without asking it', async () => {
    const tag = await make('Tag')
    const id = await folder('In an account')
    await domain.pool.query('update files set account_id = $2 where id = $1', [id, newId()])
    const outcomes = [...(await add([id], tag.id)), ...(await change([id], { kind: 'COLOR', color: 'PINK' }))]
    expect(outcomes.map(({ error }) => error)).toEqual([null, null])
    expect(await namesOn(id)).toEqual(['Tag'])
  })
})

describe('folders', () => {
  it('have a colour, which can be taken back', async () => {
    const id = await folder('Folder')
    await change([id], { kind: 'COLOR', color: 'GREEN' })
    expect(await domain.files.get(ada.viewer, id)).toMatchObject({ color: 'GREEN' })
    await change([id], { kind: 'COLOR', color: null })
    expect(await domain.files.get(ada.viewer, id)).toMatchObject({ color: null })
  })

  it('have one, and files do not', async () => {
    const [a, b] = [await file('a.txt'), await folder('Folder')]
    const outcomes = await change([a, b], { kind: 'COLOR', color: 'RED' })
    expect(outcomes.map(({ error }) => error?.code)).toEqual(['CONFLICT', undefined])
    expect(await domain.files.get(ada.viewer, a)).toMatchObject({ color: null })
  })

  it('of others are not found', async () => {
    const theirs = await folder('Theirs', bob)
    const [outcome] = await change([theirs], { kind: 'COLOR', color: 'RED' })
    expect(outcome?.error).toBeInstanceOf(NotFoundError)
  })
})
