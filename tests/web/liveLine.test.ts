import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { onServerChange } from '../../web/relay/changes.ts'
import { readEventStream, type StreamEvent } from '../../web/relay/eventStream.ts'
import { onConnected, onLiveAgain } from '../../web/relay/liveAgain.ts'
import { subscribe } from '../../web/relay/subscribe.ts'
import { setPageUrl } from './support/renderPage.tsx'

const lines: ServerResponse[] = []
/** What each line was asked for. */
const asked: unknown[] = []
const server = createServer(async (request, response) => {
  asked.push(await json(request))
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
  lines.push(response)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  setPageUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/file-manager`)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  lines.length = 0
  asked.length = 0
})

const params = { name: 'x', id: 'abc', operationKind: 'subscription', text: null, metadata: {} } as const
const tell = (line: ServerResponse | undefined, data: unknown) =>
  line?.write(`event: next\ndata: ${JSON.stringify({ data })}\n\n`)

function listen() {
  const seen: unknown[] = []
  const ends = { complete: vi.fn(), error: vi.fn() }
  const signedOut = vi.fn()
  const line = subscribe(params, {}, signedOut).subscribe({ next: (value) => seen.push(value), ...ends })
  return { seen, ends, signedOut, stop: () => line.unsubscribe() }
}

test('a broken line is connected again, and the gap is told', async () => {
  const again = vi.fn()
  const changed = vi.fn()
  const stops = [onLiveAgain(again), onServerChange(changed)]
  const { seen, ends, stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  tell(lines[0], { n: 1 })
  await vi.waitFor(() => expect(seen).toEqual([{ data: { n: 1 } }]), 120_000)
  expect(changed).toHaveBeenCalledTimes(1)
  expect(again).not.toHaveBeenCalled()

  lines[0]?.end()
  await vi.waitFor(() => expect(lines.length).toBe(2), 120_000)
  await vi.waitFor(() => expect(again).toHaveBeenCalledOnce(), 120_000)
  tell(lines[1], { n: 2 })
  await vi.waitFor(() => expect(seen.length).toBe(2), 120_000)
  expect(ends.error).not.toHaveBeenCalled()
  stop()
  for (const forget of stops) forget()
})

test('a message that has only a position is no change', async () => {
  const changed = vi.fn()
  const forget = onServerChange(changed)
  const { seen, stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  const nothing = { position: '41', reset: false, files: null, transfers: [], jobs: [], viewer: null }
  tell(lines[0], { changes: nothing })
  await vi.waitFor(() => expect(seen.length).toBe(1), 120_000)
  expect(changed).not.toHaveBeenCalled()
  tell(lines[0], { changes: { ...nothing, position: '42', transfers: [{ id: 'trf_1' }] } })
  await vi.waitFor(() => expect(seen.length).toBe(2), 120_000)
  expect(changed).toHaveBeenCalledOnce()
  stop()
  forget()
})

test('a line that knows its position goes on behind it, and only a reset is a gap', async () => {
  const again = vi.fn()
  const connected = vi.fn()
  const stops = [onLiveAgain(again), onConnected(connected)]
  const { seen, stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  tell(lines[0], { changes: { position: '41', reset: false } })
  await vi.waitFor(() => expect(seen.length).toBe(1), 120_000)
  lines[0]?.end()
  await vi.waitFor(() => expect(lines.length).toBe(2), 120_000)
  expect(asked[1]).toMatchObject({ variables: { since: '41' } })
  await vi.waitFor(() => expect(connected.mock.calls).toEqual([[true], [false]]), 120_000)
  expect(again).not.toHaveBeenCalled()
  tell(lines[1], { changes: { position: '99', reset: true } })
  await vi.waitFor(() => expect(again).toHaveBeenCalledOnce(), 120_000)
  stop()
  for (const forget of stops) forget()
})

test('a first line that comes late, as in a tab that was opened in the background, is a gap', async () => {
  const again = vi.fn()
  const forget = onLiveAgain(again)
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  const clock = vi.spyOn(Date, 'now')
  const began = Date.now()
  const { stop } = listen()
  clock.mockReturnValue(began + 60_000)
  hidden.mockReturnValue(false)
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.waitFor(() => expect(again).toHaveBeenCalledOnce(), 120_000)
  stop()
  forget()
  vi.restoreAllMocks()
})

test('a line that ends because nobody is signed in says so, and hands nothing on', async () => {
  const { seen, signedOut, stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  const errors = [{ message: 'You are not signed in.', extensions: { code: 'UNAUTHENTICATED' } }]
  lines[0]?.write(`event: next\ndata: ${JSON.stringify({ data: { n: 1 }, errors })}\n\n`)
  await vi.waitFor(() => expect(signedOut).toHaveBeenCalledOnce(), 120_000)
  expect(seen).toEqual([])
  stop()
})

test('the end that the server announces is the end', async () => {
  const { ends, stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  lines[0]?.end('event: complete\ndata:\n\n')
  await vi.waitFor(() => expect(ends.complete).toHaveBeenCalledOnce(), 120_000)
  stop()
})

test('unsubscribing hangs up, and waits for nothing more', async () => {
  const waiting = vi.spyOn(window, 'addEventListener')
  const { stop } = listen()
  await vi.waitFor(() => expect(lines.length).toBe(1), 120_000)
  const closed = new Promise((resolve) => lines[0]?.on('close', resolve))
  stop()
  await closed
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines.length).toBe(1)
  expect(waiting).not.toHaveBeenCalledWith('online', expect.anything())
  waiting.mockRestore()
})

test('events are read whole however the bytes are cut, and comments are skipped', async () => {
  const bytes = new TextEncoder().encode(
    ':\n\nevent: next\r\ndata: {"name":"Straße"}\r\n\r\ndata: a\ndata: b\n\nevent: complete\n\n',
  )
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  const events: StreamEvent[] = []
  for await (const event of readEventStream(body)) events.push(event)
  expect(events).toEqual([
    { event: 'next', data: '{"name":"Straße"}' },
    { event: 'message', data: 'a\nb' },
    { event: 'complete', data: '' },
  ])
})
