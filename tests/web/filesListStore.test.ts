import { createMockEnvironment, type MockEnvironment } from 'relay-test-utils'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { FileListStore } from '../../web/screens/Files/list/fileListStore.ts'
import { selectionOf } from '../../web/screens/Files/list/filesPage.ts'
import { keptLists, openList } from '../../web/screens/Files/list/listCache.ts'
import { listKeyOf, readUrlState } from '../../web/screens/Files/urlState.ts'
import { answerPage, settle } from './support/filePages.ts'

const key = listKeyOf('DRIVE', readUrlState(new URLSearchParams()), true)
let environment: MockEnvironment
beforeEach(() => {
  environment = createMockEnvironment()
})

const asked = () => environment.mock.getMostRecentOperation().request.variables
const pending = () => environment.mock.getAllOperations().length

async function firstPage(count: number, hasNext: boolean): Promise<FileListStore> {
  const list = new FileListStore(environment, key)
  list.show()
  await answerPage(environment, { from: 0, count, hasNext })
  return list
}

describe('reading', () => {
  test('a list begins to load when it is made, and knows when it is whole', async () => {
    const list = new FileListStore(environment, key)
    expect(list.status).toBe('loading')
    expect(asked()).toMatchObject({ view: 'DRIVE', parentId: null, first: 100, after: null, until: null })
    await answerPage(environment, { from: 0, count: 3, hasNext: false })
    expect(list.status).toBe('ready')
    expect(list.model.count).toBe(3)
    expect(list.model.hasNext).toBe(false)
    expect(pending()).toBe(0)
  })

  test('pages ahead are read one after the other, until enough are there', async () => {
    const list = await firstPage(100, true)
    expect(asked()).toMatchObject({ after: 'cursor-99', first: 200 })
    await answerPage(environment, { from: 100, count: 200, hasNext: true })
    await answerPage(environment, { from: 300, count: 200, hasNext: true })
    expect(list.model.count).toBe(500)
    expect(pending()).toBe(0)
    list.see({ first: 300, last: 340, velocity: 0 })
    expect(asked()).toMatchObject({ after: 'cursor-499' })
  })

  test.each(['list', 'photos'])('as %s, every condition of the list reaches the server', async (layout) => {
    const text = `layout=${layout}&q=harbour&type=image,video&group=g&provider=p&account=a&home=account&tag=t&changed=week&size=large&state=at-risk`
    vi.useFakeTimers({ toFake: ['Date'] })
    const wanted = listKeyOf('ALL', readUrlState(new URLSearchParams(text)), true)
    const list = new FileListStore(environment, wanted)
    try {
      await vi.waitFor(() => expect(pending()).toBe(1))
      expect(asked()).toMatchObject(selectionOf(wanted))
    } finally {
      list.dispose()
      vi.useRealTimers()
    }
  })

  test('a failure says so, and another try goes on', async () => {
    const list = new FileListStore(environment, key)
    environment.mock.rejectMostRecentOperation(new Error('no network'))
    await settle()
    expect(list.status).toBe('failed')
    expect(list.failure?.message).toBe('no network')
    list.retry()
    expect(list.status).toBe('loading')
    await answerPage(environment, { from: 0, count: 1, hasNext: false })
    expect(list.status).toBe('ready')
    expect(list.failure).toBeNull()
  })

  test('rows that were read stay when a later page fails', async () => {
    const list = await firstPage(100, true)
    environment.mock.rejectMostRecentOperation(new Error('down'))
    await settle()
    expect(list.status).toBe('ready')
    expect(list.failure?.message).toBe('down')
    expect(list.model.count).toBe(100)
  })
})

describe('reading again', () => {
  test('asks for exactly the range that is seen, and puts in what is new', async () => {
    const list = await firstPage(3, false)
    list.refresh()
    expect(asked()).toMatchObject({ after: null, until: null, first: 200 })
    await answerPage(environment, { from: 0, count: 5, hasNext: false })
    expect(list.model.count).toBe(5)
  })

  test('a list that is not shown waits until it is', async () => {
    const list = new FileListStore(environment, key)
    await answerPage(environment, { from: 0, count: 3, hasNext: false })
    list.refresh()
    expect(pending()).toBe(0)
    list.show()
    expect(pending()).toBe(1)
  })

  test('all that was taken out and put back is there again, from the first row, and only then the list is whole', async () => {
    const list = await firstPage(100, true)
    await answerPage(environment, { from: 100, count: 200, hasNext: false })
    expect(list.isWhole).toBe(true)
    list.refresh()
    expect(list.isWhole).toBe(false)
    await answerPage(environment, { from: 0, count: 0, hasNext: false })
    await answerPage(environment, { from: 100, count: 0, hasNext: false })
    expect(list.model.count).toBe(0)
    list.refresh()
    await answerPage(environment, { from: 0, count: 100, hasNext: false })
    expect(list.isWhole).toBe(false)
    await answerPage(environment, { from: 100, count: 200, hasNext: false })
    expect(list.model.indexOf('file_0')).toBe(0)
    expect(list.model.count).toBe(300)
    expect(list.isWhole).toBe(true)
  })

  test('data far from the viewport is let go, and read again on the way back', async () => {
    const list = await firstPage(100, true)
    await scrollFar(list)
    expect(list.isHeld(list.model.pageAt(0))).toBe(false)
    list.see({ first: 0, last: 40, velocity: 0 })
    const variables = environment.mock.getAllOperations().map((operation) => operation.request.variables)
    expect(variables).toContainEqual(expect.objectContaining({ after: null, until: 'cursor-99' }))
  })

  test('data of a row whose name is typed is kept, however far the list is scrolled', async () => {
    const list = await firstPage(100, true)
    list.pinned = 'file_3'
    await scrollFar(list)
    expect(list.isHeld(list.model.pageAt(0))).toBe(true)
  })
})

async function scrollFar(list: FileListStore): Promise<void> {
  for (let from = 100; from < 6000; from += 200) {
    list.see({ first: from - 40, last: from, velocity: 0 })
    while (pending() > 0) {
      const start = list.model.count
      await answerPage(environment, { from: start, count: 200, hasNext: true })
    }
  }
}

describe('the cache of lists', () => {
  test('the same address gives the same list within five minutes', async () => {
    let time = 0
    const now = () => time
    const list = openList(environment, key, now)
    list.show()
    await answerPage(environment, { from: 0, count: 3, hasNext: false })
    time = 4 * 60_000
    expect(openList(environment, key, now)).toBe(list)
    expect(pending()).toBe(0)
    time = 6 * 60_000
    expect(openList(environment, key, now)).toBe(list)
    expect(pending()).toBe(1)
  })

  test('only the last lists are kept', () => {
    for (let number = 0; number < 9; number += 1) openList(environment, { ...key, folder: `file_${number}` })
    expect([...keptLists(environment)].map((list) => list.key.folder).at(0)).toBe('file_3')
  })
})
