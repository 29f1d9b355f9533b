import type { EngineDeps } from './deps.ts'
import { sentOf, type TransferWork } from './work.ts'

/** What is known of the speed of transfers that run in this process, by id. */
export type Speeds = Map<string, number>

/** How far one transfer is, while it runs. */
export type Progress = {
  /** The provider has confirmed so many bytes of a piece. */
  report(pieceId: string, committedBytes: number): void
  /** A piece is stored, and its row says so; with the last one the transfer's too. */
  stored(pieceId: string, size: number, isLast: boolean): void
  /** Something was confirmed that was not when it began. */
  readonly advanced: boolean
  /** Writes down what was not yet, and forgets the speed. */
  end(): Promise<void>
}

const SAVE_EVERY_MS = 1_000
const TELL_EVERY_MS = 250
/** Speed is what was confirmed within this time. */
const WINDOW_MS = 5_000

/** Others lock pieces and transfers in either order: this waits for no piece, and holds none while it waits for a transfer. */
const SAVE_PIECES = `with free as (
    select id from pieces where id = any($1::uuid[]) and state = 'PLANNED' for no key update skip locked)
  update pieces p set sent_bytes = i.sent from unnest($1::uuid[], $2::bigint[]) as i(id, sent) join free using (id)
  where p.id = i.id and p.sent_bytes <> i.sent`
const SAVE_TRANSFER = 'update transfers set sent_bytes = least($2, total_bytes) where id = $1'

export function createProgress(
  { pool, events, clock, onError }: Pick<EngineDeps, 'pool' | 'events' | 'clock' | 'onError'>,
  work: TransferWork,
  speeds: Speeds,
): Progress {
  const sent = new Map(work.pieces.map((piece) => [piece.id, sentOf(piece)]))
  const total = () => [...sent.values()].reduce((sum, bytes) => sum + bytes, 0)
  const before = total()
  const samples = [{ at: clock.now(), bytes: before }]
  const changed = new Set<string>()
  let savedAt = clock.now()
  let toldAt = Number.NEGATIVE_INFINITY
  let saving: Promise<unknown> = Promise.resolve()
  let advanced = false
  let isSaved = true

  function save(): void {
    savedAt = clock.now()
    isSaved = true
    const ids = [...changed]
    changed.clear()
    const bytes = ids.map((id) => sent.get(id) ?? 0)
    const all = total()
    saving = saving
      .then(() => pool.query(SAVE_PIECES, [ids, bytes]))
      .then(() => pool.query(SAVE_TRANSFER, [work.id, all]))
      .catch(onError)
  }

  function tell(): void {
    const now = clock.now()
    toldAt = now
    const bytes = total()
    samples.push({ at: now, bytes })
    while (samples.length > 2 && now - (samples[1]?.at ?? now) > WINDOW_MS) samples.shift()
    const speed = speedOf(samples)
    if (speed === null) speeds.delete(work.id)
    else speeds.set(work.id, speed)
    events.publish('transferProgressed', work.userId, { transferId: work.id, sentBytes: bytes, bytesPerSecond: speed })
  }

  function confirm(pieceId: string, committedBytes: number): void {
    advanced ||= committedBytes > (sent.get(pieceId) ?? 0)
    sent.set(pieceId, committedBytes)
  }

  return {
    get advanced() {
      return advanced
    },
    stored(pieceId, size, isLast) {
      confirm(pieceId, size)
      changed.delete(pieceId)
      isSaved = isLast
    },
    report(pieceId, committedBytes) {
      confirm(pieceId, committedBytes)
      changed.add(pieceId)
      isSaved = false
      if (clock.now() - savedAt >= SAVE_EVERY_MS) save()
      if (clock.now() - toldAt >= TELL_EVERY_MS) tell()
    },
    async end() {
      speeds.delete(work.id)
      if (!isSaved) save()
      await saving
    },
  }
}

function speedOf(samples: readonly { readonly at: number; readonly bytes: number }[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at <= first.at) return null
  return Math.max(0, Math.round(((last.bytes - first.bytes) * 1000) / (last.at - first.at)))
}
