import { Readable } from 'node:stream'
import { endWithSignal } from '../../lib/endWithSignal.ts'
import type { ByteRange, Call, Download, Driver, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { type Access, type AccessDeps, createAccess, type Opened } from './access.ts'
import { trackSession } from './trackSession.ts'
import { type Run, wrapDriver } from './wrapDriver.ts'

/**
 * The account's driver, always on credentials that work: renewed before they end and when they are refused, after which the
 * call is done once more. Fresh credentials that are refused too end the account: ReconnectNeeded. Opens without I/O.
 */
export function refresh(deps: AccessDeps): Driver {
  const access = createAccess(deps)
  const facts = deps.module.open({ expiresAt: null })
  const run: Run = async (_operation, call, work) => (await replay(access, call, work)).value

  return {
    ...wrapDriver(facts, run),
    put(call, entry, content, progress) {
      const next = trackSession(progress)
      return run('put', call, (driver) => driver.put(call, entry, content, next()))
    },
    async get(call, ref, range) {
      const { value, opened } = await replay(access, call, (driver) => driver.get(call, ref, range))
      return { body: continuing(access, { call, ref, range }, value, opened) }
    },
  }
}

type Done<Value> = { readonly value: Value; readonly opened: Opened }

/** Once more on newer credentials; more often only where those have ended meanwhile, as they do in a long upload. */
async function replay<Value>(
  access: Access,
  call: Call,
  work: (driver: Driver) => Promise<Value>,
  refused: Opened | null = null,
): Promise<Done<Value>> {
  let opened = refused ? await access.renewed(call, refused) : await access.current(call)
  for (let isFresh = refused !== null; ; isFresh = true) {
    try {
      return { value: await work(opened.driver), opened }
    } catch (error) {
      call.signal.throwIfAborted()
      if (!(error instanceof ProviderError && error.code === 'AuthExpired')) throw error
      if (isFresh && !access.isOver(opened)) throw await access.end(opened, error)
      opened = await access.renewed(call, opened)
    }
  }
}

type Asked = { readonly call: Call; readonly ref: EntryRef; readonly range: ByteRange | undefined }

/** The body, which goes on at the same byte on newer credentials where a service asks for them half-way. */
function continuing(access: Access, { call, ref, range }: Asked, first: Download, opened: Opened): Readable {
  let source = first.body
  async function* read(): AsyncGenerator<Buffer> {
    let at = range?.start ?? 0
    let current = opened
    for (let isFresh = false; ; isFresh = true) {
      try {
        for await (const chunk of source as AsyncIterable<Buffer>) {
          at += chunk.length
          yield chunk
        }
        return
      } catch (error) {
        if (!(error instanceof ProviderError && error.code === 'AuthExpired')) throw error
        if (isFresh && !access.isOver(current)) throw await access.end(current, error)
        const start = at
        const rest = await replay(access, call, (driver) => getRest(driver, { call, ref, range }, start), current)
        current = rest.opened
        source = rest.value.body
      }
    }
  }
  const body = Readable.from(read(), { objectMode: false, highWaterMark: source.readableHighWaterMark })
  body.once('close', () => source.destroy())
  return endWithSignal(call.signal, body)
}

async function getRest(driver: Driver, { call, ref, range }: Asked, start: number): Promise<Download> {
  const end = range?.end ?? ((await driver.stat(call, ref)).size ?? 0) - 1
  return end < start ? { body: Readable.from([]) } : driver.get(call, ref, { start, end })
}
