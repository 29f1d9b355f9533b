import { setMaxListeners } from 'node:events'
import type pg from 'pg'
import { createBatcher, type Outcome } from '../lib/concurrency.ts'
import type { SharedSlots } from '../lib/limits.ts'

/** A free slot goes back after this time, or at once when another server waits for one of its key. */
const LINGER_MS = 2_000
const TIDY_MS = 1_000
/** A server that waits asks again after these times, or when it hears that one is free. */
const FIRST_POLL_MS = 250
const LONGEST_POLL_MS = 1_000
/** How long one message says that a server waits. */
const WANTED_MS = 3 * LONGEST_POLL_MS
/** A server that has given a slot to others lets them take it before it asks again. */
const ABSTAIN_MS = 300
/** A slot is free, but another server was faster: then the next one is tried. */
const ATTEMPTS = 5
/** Keys per statement. */
const BATCH = 100

/**
 * The primary key is the limit: of two servers that choose the same slot, one gets it. In one order, so that they do not wait for each
 * other. `free`: how many there were.
 */
const CLAIM = `
  with asked as (select * from unnest($1::text[], $2::int[], $3::int[]) a(key, most, want)),
  free as (
    select a.key, a.want, s.slot, row_number() over (partition by a.key order by s.slot) as place
    from asked a, lateral generate_series(1, a.most) s(slot)
    where not exists (select from held_slots h where h.key = a.key and h.slot = s.slot)),
  taken as (
    insert into held_slots (key, slot, server_id)
    select f.key, f.slot, s.id from free f, servers s where f.place <= f.want and s.id = $4::uuid order by f.key, f.slot
    on conflict do nothing returning key, slot)
  select a.key, array(select t.slot from taken t where t.key = a.key order by t.slot) as slots,
    (select count(*)::int from free f where f.key = a.key) as free
  from asked a`

const FREE = `delete from held_slots h using unnest($1::text[], $2::int[]) f(key, slot)
  where h.key = f.key and h.slot = f.slot and h.server_id = $3::uuid`

/** After statements of unknown outcome. */
const TIDY = `delete from held_slots h where h.server_id = $3::uuid
  and not exists (select from unnest($1::text[], $2::int[]) k(key, slot) where k.key = h.key and k.slot = h.slot)`

/** After others have declared this server dead and removed what it held. */
const RESTORE = `insert into held_slots (key, slot, server_id)
  select k.key, k.slot, s.id from unnest($1::text[], $2::int[]) k(key, slot), servers s where s.id = $3::uuid
  order by k.key, k.slot on conflict do nothing`

type Request =
  | { readonly kind: 'claim'; readonly key: string; readonly most: number; readonly want: number }
  | { readonly kind: 'free'; readonly key: string; readonly slot: number }
  | { readonly kind: 'tidy' | 'restore' }
type Claimed = { readonly key: string; readonly slots: readonly number[]; readonly free: number }

export type SlotsDeps = {
  readonly pool: pg.Pool
  /** Id in the register of servers. */
  readonly serverId: string
  /** Number of running servers. */
  readonly servers: () => number
  /** Tells the other servers that this one waits for a slot of the key, or that one is free. */
  readonly tell: (what: 'wanted' | 'freed', key: string) => void
}

export type Slots = SharedSlots & {
  /** Another server waits for a slot of these keys. */
  wanted(server: string, keys: readonly string[]): void
  /** Another server has given back a slot of these keys. */
  freed(keys: readonly string[]): void
  /** Takes again what this server lost when others declared it dead, as far as it is still free. */
  restore(): void
  close(): Promise<void>
}

/** Slots are rows with a number, unique per key, that are removed with their server. */
export function createSlots(deps: SlotsDeps): Slots {
  const rows = createRows(deps)
  const lines = new Map<string, Line>()
  let timer: NodeJS.Timeout | undefined

  function lineOf(key: string): Line {
    const known = lines.get(key)
    if (known) return known
    const line = createLine(key, deps, rows)
    lines.set(key, line)
    timer ??= setInterval(tidy, TIDY_MS).unref()
    return line
  }

  function tidy(): void {
    for (const [key, line] of lines) if (line.isOver()) lines.delete(key)
    rows.tidy()
    if (lines.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    async tryTake(key, most) {
      const [slot] = await rows.claim(key, most, 1)
      if (slot === undefined) return null
      return once(() => {
        rows.free(key, slot)
        timer ??= setInterval(tidy, TIDY_MS).unref()
      })
    },
    take: (key, most, signal) => lineOf(key).take(most, signal),
    wanted(server, keys) {
      for (const key of keys) lines.get(key)?.wanted(server)
    },
    freed(keys) {
      for (const key of keys) lines.get(key)?.freed()
    },
    restore: rows.restore,
    async close() {
      clearInterval(timer)
      for (const line of lines.values()) line.close()
      await rows.close()
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}

type Rows = {
  /** Up to `want` free slots of `most`; none: all are held. @throws errors of the database */
  claim(key: string, most: number, want: number): Promise<readonly number[]>
  /** Gives a slot back, if need be later. */
  free(key: string, slot: number): void
  tidy(): void
  restore(): void
  close(): Promise<void>
}

/** The rows of this server. One statement at a time: what is held here and what the table says differ only after a failure. */
function createRows({ pool, serverId }: Pick<SlotsDeps, 'pool' | 'serverId'>): Rows {
  const held = new Map<string, Set<number>>()
  const send = createBatcher({ limit: BATCH, run })
  let isUncertain = false
  let last: Promise<unknown> = Promise.resolve()

  const all = (): readonly [string[], number[]] => {
    const pairs = [...held].flatMap(([key, slots]) => [...slots].map((slot) => [key, slot] as const))
    return [pairs.map(([key]) => key), pairs.map(([, slot]) => slot)]
  }

  async function run(requests: readonly Request[]): Promise<Outcome<readonly number[] | null>[]> {
    try {
      if (isUncertain) await pool.query(TIDY, [...all(), serverId])
      isUncertain = false
      if (requests.some(({ kind }) => kind === 'restore')) await pool.query(RESTORE, [...all(), serverId])
      const freed = requests.flatMap((request) => (request.kind === 'free' ? [request] : []))
      if (freed.length > 0) {
        await pool.query(FREE, [freed.map(({ key }) => key), freed.map(({ slot }) => slot), serverId])
      }
      return await claim(requests)
    } catch (error) {
      isUncertain = true
      throw error
    }
  }

  async function claim(requests: readonly Request[]): Promise<Outcome<readonly number[] | null>[]> {
    const claims = new Map<string, { most: number; want: number }>()
    for (const request of requests) {
      if (request.kind !== 'claim') continue
      const other = claims.get(request.key)
      const { most, want } = request
      claims.set(request.key, other ? { most: Math.max(most, other.most), want: want + other.want } : { most, want })
    }
    if (claims.size === 0) return requests.map(() => ({ ok: true, value: [] }))
    const asked = [...claims]
    const values = [asked.map(([key]) => key), asked.map(([, { most }]) => most), asked.map(([, { want }]) => want)]
    const { rows } = await pool.query<Claimed>(CLAIM, [...values, serverId])
    const found = new Map(rows.map(({ key, slots, free }) => [key, { slots: [...slots], free }]))
    for (const [key, { slots }] of found) {
      if (slots.length > 0) held.set(key, new Set([...(held.get(key) ?? []), ...slots]))
    }
    return requests.map((request) => {
      if (request.kind !== 'claim') return { ok: true, value: [] }
      const { slots, free } = found.get(request.key) ?? { slots: [], free: 0 }
      const own = slots.splice(0, request.want)
      // Null: one was free, but another server was faster.
      return { ok: true, value: own.length === 0 && free > 0 ? null : own }
    })
  }

  const later = (request: Request): void => {
    last = send(request).catch(() => undefined)
  }

  return {
    async claim(key, most, want) {
      for (let attempt = 1; ; attempt += 1) {
        const slots = await send({ kind: 'claim', key, most, want })
        if (slots) return slots
        if (attempt === ATTEMPTS) return []
      }
    },
    free(key, slot) {
      const slots = held.get(key)
      if (!slots?.delete(slot)) return
      if (slots.size === 0) held.delete(key)
      later({ kind: 'free', key, slot })
    },
    tidy() {
      if (isUncertain) later({ kind: 'tidy' })
    },
    restore: () => later({ kind: 'restore' }),
    async close() {
      await last
    },
  }
}

/** The calls of this server that take slots of one key. */
type Line = {
  take(most: number, signal: AbortSignal): Promise<() => void>
  wanted(server: string): void
  freed(): void
  /** Gives back slots that were free for long. @returns whether nothing is left */
  isOver(): boolean
  close(): void
}

/** Of the calls that were made without a row, because the database did not answer. */
const NO_ROW = 0

function createLine(key: string, { servers, tell }: Pick<SlotsDeps, 'servers' | 'tell'>, rows: Rows): Line {
  const idle: { readonly slot: number; readonly since: number }[] = []
  const waiting: ((slot: number) => void)[] = []
  /** Until when other servers are taken to wait. */
  const others = new Map<string, number>()
  let most = 1
  /** Slots here, used or not. */
  let held = 0
  let withoutRow = 0
  let abstainUntil = 0
  let isAsking = false
  /** The database did not answer the last question. */
  let isFailing = false
  let isClosed = false
  let wake = () => {}

  /** How many other servers wait. */
  function contenders(now: number): number {
    for (const [server, until] of others) if (until <= now) others.delete(server)
    return others.size
  }

  function giveBack(slot: number): void {
    held -= 1
    rows.free(key, slot)
    const [next] = others.keys()
    if (next === undefined) return
    tell('freed', key)
    // If it waits for another one, it says so again.
    others.delete(next)
  }

  function release(slot: number): void {
    if (slot === NO_ROW) withoutRow -= 1
    const now = performance.now()
    const rivals = contenders(now)
    const isTooMuch = slot > most || (rivals > 0 && held > most / (rivals + 1))
    if (slot !== NO_ROW && (isTooMuch || (rivals > 0 && waiting.length === 0) || isClosed)) {
      if (rivals > 0) abstainUntil = now + ABSTAIN_MS
      giveBack(slot)
      wake()
    } else if (waiting.length > 0 && (slot !== NO_ROW || isFailing)) handOver(slot)
    else if (slot !== NO_ROW) idle.push({ slot, since: now })
  }

  function handOver(slot: number): void {
    if (slot === NO_ROW) withoutRow += 1
    waiting.shift()?.(slot)
  }

  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    for (let pauseMs = FIRST_POLL_MS; waiting.length > 0; ) {
      for (let restMs = abstainUntil - performance.now(); restMs > 0; restMs = abstainUntil - performance.now()) {
        pauseMs = FIRST_POLL_MS
        await sleep(restMs)
      }
      if (held >= most) {
        // No other server can free one.
        await sleep(LONGEST_POLL_MS)
        continue
      }
      const slots = await rows.claim(key, most, waiting.length).catch(() => null)
      isFailing = slots === null
      const ownPart = Math.max(1, Math.floor(most / servers()))
      while (isFailing && waiting.length > 0 && held + withoutRow < ownPart) handOver(NO_ROW)
      held += slots?.length ?? 0
      for (const slot of slots ?? []) {
        if (waiting.length > 0) handOver(slot)
        else idle.push({ slot, since: performance.now() })
      }
      if (waiting.length === 0) break
      if (slots && slots.length > 0) {
        pauseMs = FIRST_POLL_MS
        continue
      }
      tell('wanted', key)
      await sleep(pauseMs)
      pauseMs = Math.min(LONGEST_POLL_MS, pauseMs * 2)
    }
    isAsking = false
  }

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = setTimeout(resolve, ms).unref()
      wake = () => {
        clearTimeout(end)
        resolve()
      }
    })

  function take(given: number, signal: AbortSignal): Promise<() => void> {
    most = given
    if (signal.aborted) return Promise.reject(signal.reason)
    // One job's signal serves many concurrent calls, which Node would report as a leak of listeners.
    setMaxListeners(0, signal)
    const at = waiting.length === 0 ? idle.findLastIndex(({ slot }) => slot <= most) : -1
    const [free] = at < 0 ? [] : idle.splice(at, 1)
    if (free) return Promise.resolve(once(() => release(free.slot)))
    return new Promise((resolve, reject) => {
      const stop = () => {
        waiting.splice(waiting.indexOf(start), 1)
        reject(signal.reason)
      }
      const start = (slot: number) => {
        signal.removeEventListener('abort', stop)
        resolve(once(() => release(slot)))
      }
      waiting.push(start)
      signal.addEventListener('abort', stop, { once: true })
      void ask()
    })
  }

  function giveBackIdle(now: number, ms: number): void {
    while (idle[0] && now - idle[0].since >= ms) giveBack(idle.shift()?.slot ?? NO_ROW)
  }

  return {
    take,
    wanted(server) {
      const now = performance.now()
      others.set(server, now + WANTED_MS)
      giveBackIdle(now, 0)
    },
    freed: () => wake(),
    isOver() {
      const now = performance.now()
      giveBackIdle(now, contenders(now) > 0 ? 0 : LINGER_MS)
      return held + withoutRow + waiting.length === 0 && !isAsking
    },
    close() {
      isClosed = true
      giveBackIdle(0, Number.NEGATIVE_INFINITY)
    },
  }
}
