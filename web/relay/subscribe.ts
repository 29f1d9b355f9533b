import { type GraphQLResponse, Observable, type RequestParameters, type Variables } from 'relay-runtime'
import { inPageLanguage } from '../lib/serverText.ts'
import { sayServerChange } from './changes.ts'
import { readEventStream } from './eventStream.ts'
import { sayConnected, sayLiveAgain } from './liveAgain.ts'
import { type Answer, post, saysSignedOut } from './request.ts'

type Listener = { readonly next: (answer: Answer) => void; readonly onSignedOut: () => void }

const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 15_000
/** Browsers allow six connections to a host over HTTP/1.1: background tabs close theirs. */
const HIDDEN_GRACE_MS = 10_000
/** The first connection is sent the changes of the last 30 seconds: after this time some may be missing, as in a tab opened in the background. */
const RECENT_MS = 25_000

/**
 * A long-lived subscription: it reconnects after a lost connection, and disconnects while the tab is in the
 * background. The last position it received is sent as `since`, so that the server sends what changed in the gap;
 * where it cannot, liveAgain says so. It ends only when the server completes it. `onSignedOut` is called, possibly
 * several times, when the session has ended.
 */
export function subscribe(
  params: RequestParameters,
  variables: Variables,
  onSignedOut: () => void,
): Observable<GraphQLResponse> {
  return Observable.create((sink) => {
    const stop = new AbortController()
    const next = (answer: Answer) => {
      if (saysSignedOut(answer, 200)) onSignedOut()
      else if (answer.data) {
        sink.next(answer as GraphQLResponse)
        const changes = changesOf(answer)
        if (changes?.reset) sayLiveAgain()
        if (!changes || isNews(changes)) sayServerChange()
      }
    }
    run(params, variables, stop.signal, { next, onSignedOut }).then(
      () => sink.complete(),
      (error: Error) => !stop.signal.aborted && sink.error(error),
    )
    return () => stop.abort()
  })
}

async function run(params: RequestParameters, variables: Variables, signal: AbortSignal, listener: Listener) {
  let failures = 0
  const began = Date.now()
  let position: string | undefined
  const heard = (answer: Answer) => {
    position = changesOf(answer)?.position ?? position
    listener.next(answer)
  }
  for (let connections = 0; !signal.aborted; connections += 1) {
    await becomeVisible(signal)
    const onOpen = () => {
      failures = 0
      const isFirst = connections === 0
      sayConnected(isFirst)
      if (isFirst && Date.now() - began < RECENT_MS) return
      if (position === undefined) sayLiveAgain()
      sayServerChange()
    }
    const since = position === undefined ? variables : { ...variables, since: position }
    const completed = await connect(params, since, signal, onOpen, { ...listener, next: heard })
    if (completed) return
    await pause(Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS) * (0.5 + Math.random() / 2), signal)
    failures += 1
  }
}

/** One connection. Resolves true when the server has completed the stream, false when the connection was lost. */
async function connect(
  params: RequestParameters,
  variables: Variables,
  signal: AbortSignal,
  onOpen: () => void,
  listener: Listener,
): Promise<boolean> {
  const line = new AbortController()
  const until = AbortSignal.any([signal, line.signal])
  const forget = onLongHidden(() => line.abort())
  try {
    const response = await post(params, variables, 'text/event-stream', { signal: until })
    if (response.status === 401) listener.onSignedOut()
    if (!response.ok || !response.body) return false
    onOpen()
    for await (const { event, data } of readEventStream(response.body)) {
      if (event === 'complete') return true
      if (event === 'next') listener.next(await inPageLanguage(JSON.parse(data) as Answer))
    }
    return false
  } catch {
    // Lost, refused or suspended: the loop retries, and the gap is reported once the connection is back.
    return false
  } finally {
    forget()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    window.addEventListener('online', done)
    signal.addEventListener('abort', done, { once: true })
  })
}

function becomeVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', done)
      resolve()
    }
    document.addEventListener('visibilitychange', done)
    signal.addEventListener('abort', done, { once: true })
  })
}

/** Calls `act` once the tab has been in the background for a while. Returns a function that stops watching. */
function onLongHidden(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const watch = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(act, HIDDEN_GRACE_MS)
  }
  document.addEventListener('visibilitychange', watch)
  watch()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', watch)
  }
}

type Changes = { readonly position?: string; readonly reset?: boolean } & Readonly<Record<string, unknown>>

/** A message of `changes`: its position, whether earlier changes were lost, and what has changed, by kind. */
function changesOf(answer: Answer): Changes | undefined {
  return (answer.data as { changes?: Changes } | null | undefined)?.changes
}

/** The first message of a connection only has a position where nothing has changed lately. */
function isNews({ position, reset, ...parts }: Changes): boolean {
  return (
    reset === true || Object.values(parts).some((part) => part != null && (!Array.isArray(part) || part.length > 0))
  )
}
