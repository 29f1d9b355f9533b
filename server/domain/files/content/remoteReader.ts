import { newId } from '../../../lib/ids.ts'
import type { Call, Driver, EntryRef } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import type { ByteReader, Reading } from '../../../storage/byteSource.ts'
import type { ObjectStore } from '../../../storage/objectStore.ts'
import { NotFoundError } from '../../errors.ts'
import type { File } from '../contract.ts'
import type { ChangeDeps } from '../tree/change.ts'
import type { Queryable } from '../tree/entries.ts'
import type { BlockSums } from './blockSums.ts'
import { type BlockOrigin, createBlockReader } from './blocks.ts'
import {
  createFaults,
  type Faults,
  type OpenPart,
  type Part,
  type ReadableCopy,
  type ReadBudget,
} from './copyStream.ts'
import { type Inspection, inspectObject, markSeen, markUnseen } from './seenObjects.ts'
import { unavailable } from './states.ts'
import { markSound, markSuspect, recordOther } from './suspect.ts'

/** A copy that can be read; `present`: all of its accounts were reachable recently. */
export type FoundCopy = ReadableCopy & { readonly present: boolean }

export type RemoteDeps = ChangeDeps & {
  readonly storage: Pick<ObjectStore, 'open'>
  /** Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or gone. */
  readonly openDriver: (accountId: string) => Promise<Driver>
  /** Records the success or failure of requests to an account. */
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  readonly budget: ReadBudget
  /** An account that sends nothing for this long in the middle of a response has failed: the next copy is read. */
  readonly stallMs: number
}

/** A content with copies in accounts. */
export type RemoteContent = {
  readonly file: File
  readonly userId: string
  /** In the order in which they are tried. */
  readonly copies: readonly FoundCopy[]
  /** Its copies as they are now. @throws NotFoundError */
  readonly findCopies: () => Promise<readonly FoundCopy[]>
}

/** Reads a range from the copies of a file. Nothing more is fetched after it is closed. */
export async function createRemoteReader(
  deps: RemoteDeps,
  content: RemoteContent,
  reading: Reading,
): Promise<ByteReader> {
  const { file, copies } = content
  const [copy] = copies
  if (!copy) throw await unavailable(deps.pool, file.id)
  const sums = await blockSumsOf(deps.pool, file.id, copy.id)

  const ended = new AbortController()
  const abort = () => ended.abort(new Error('The reader was closed.'))
  const close = () => {
    reading.signal?.removeEventListener('abort', abort)
    abort()
  }
  reading.signal?.addEventListener('abort', abort, { once: true })
  if (reading.signal?.aborted) abort()

  const faults = createFaults(copies, outOfReach(content))
  const origin = { ...sums, size: file.size, signal: ended.signal, ...hooksOf(deps, content, faults) }
  return createBlockReader({ origin, copy, budget: deps.budget, start: reading.start, end: reading.end, abort: close })
}

function hooksOf(
  deps: RemoteDeps,
  content: RemoteContent,
  faults: Faults,
): Omit<BlockOrigin, keyof BlockSums | 'size' | 'signal'> {
  const { file, userId } = content
  const seen = new Set<string>()
  /** Blocks by suspect copy, in this download; null: it was read correctly again. */
  const suspects = new Map<string, number | null>()
  const owned = { id: file.id, userId }
  const { inspect, ...parts } = createParts(deps)

  /**
   * Only the account's own report makes a copy lost: one that is reported as unchanged stays readable and is checked
   * again later.
   */
  async function checkObject(copy: ReadableCopy, part: Part, block: number): Promise<void> {
    const found = await inspect(part)
    if (found === 'OTHER' || found === 'NOTHING') faults.drop(copy)
    if (found === 'OTHER') return recordOther(deps, part.id)
    if (found === 'NOTHING') return markUnseen(deps, part.id)
    suspects.set(copy.id, block)
    return markSuspect(deps, copy.id, block)
  }

  return {
    faults,
    stallMs: deps.stallMs,
    ...parts,
    async onWorked({ local, accountId, id, unseen }, { id: copyId, suspectBlock }, block) {
      if (!local) deps.report.worked(accountId)
      if (unseen && !seen.has(id)) await markSeen(deps, owned, id)
      if (unseen) seen.add(id)
      const suspect = suspects.has(copyId) ? suspects.get(copyId) : suspectBlock
      if (suspect !== block) return
      suspects.set(copyId, null)
      await markSound(deps, owned, copyId)
    },
    onFailed: ({ local, accountId }, error) => {
      if (!local && error instanceof ProviderError) deps.report.failed(accountId, error)
    },
    onFinding: (finding, { copy, part, block }) =>
      finding === 'UNSEEN' ? markUnseen(deps, part.id) : checkObject(copy, part, block),
    async findNewCopies() {
      try {
        return faults.addCopies(await content.findCopies())
      } catch (error) {
        if (error instanceof NotFoundError) return false
        throw error
      }
    },
    unavailable: () => unavailable(deps.pool, file.id, faults.errors),
  }
}

/** The longest wait that an account may ask for: short before the first byte, longer for later ones. */
const FIRST_PATIENCE_MS = 5_000
const PATIENCE_MS = 30_000

/** For checking an object: a reader waits for it, and the account has just failed. */
const STAT_TIMEOUT_MS = 2_000
/** Statuses that may mean a range beyond the object; transport errors have others. */
const OUT_OF_RANGE = new Set<number | undefined>([200, 206, 416])

type Parts = Pick<BlockOrigin, 'openPart' | 'isReplaced'> & {
  /** What the account of a part reports; null when it does not respond. */
  inspect(part: Part): Promise<Inspection | null>
}

/** Opens parts for one download: each account is looked up once. */
function createParts({ storage, openDriver }: RemoteDeps): Parts {
  const drivers = new Map<string, Promise<Driver>>()
  const requestId = newId()
  let hasBegun = false

  function driverOf(accountId: string): Promise<Driver> {
    const known = drivers.get(accountId)
    if (known) return known
    const opening = openDriver(accountId)
    drivers.set(accountId, opening)
    opening.catch(() => drivers.delete(accountId))
    return opening
  }

  // Only refs that this driver has issued are stored.
  const openPart: OpenPart = async ({ local, accountId, ref, size }, start, end, call) => {
    if (local) return storage.open(ref, size).read(start, end)
    const driver = await driverOf(accountId)
    const patienceMs = hasBegun ? PATIENCE_MS : FIRST_PATIENCE_MS
    const { body } = await driver.get({ ...call, requestId, patienceMs }, ref as EntryRef, { start, end })
    hasBegun = true
    return body
  }
  const statCall = (): Call => ({
    signal: AbortSignal.timeout(STAT_TIMEOUT_MS),
    requestId,
    patienceMs: STAT_TIMEOUT_MS,
  })

  return {
    openPart,
    async isReplaced({ local, accountId, ref, size }, error) {
      if (local || !(error instanceof ProviderError) || !OUT_OF_RANGE.has(error.where.status)) return false
      const driver = await driverOf(accountId)
      const seen = await driver.stat(statCall(), ref as EntryRef).catch(() => null)
      return seen !== null && seen.size !== size
    },
    async inspect(part) {
      try {
        return await inspectObject(await driverOf(part.accountId), statCall(), part)
      } catch {
        return null
      }
    },
  }
}

function outOfReach({ copies }: RemoteContent): ReadonlySet<string> {
  const away = copies.filter(({ present }) => !present)
  return new Set(away.flatMap(({ parts }) => parts.map(({ accountId }) => accountId)))
}

/** By a copy, because the file may have another content by now. @throws when there are none: without them no byte of a provider can be verified */
async function blockSumsOf(sql: Queryable, fileId: string, copyId: string): Promise<BlockSums> {
  const { rows } = await sql.query<BlockSums>({
    name: 'files block sums',
    text: `select block_size as "blockSize", sums from block_sums
      where file_id = coalesce((select file_id from copies where id = $2), $1)`,
    values: [fileId, copyId],
  })
  const [sums] = rows
  if (!sums) throw new Error('A file at a provider has no block sums.')
  return sums
}
