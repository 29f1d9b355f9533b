import { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { ensureBlockSums } from '../files/content/blockSums.ts'
import { PieceGoneError } from '../files/content/sessions.ts'
import type { EngineDeps } from './deps.ts'
import { createProgress, type Progress, type Speeds } from './progress.ts'
import { replanPieces } from './replan.ts'
import { createRootFolders, type RootFolders } from './rootFolders.ts'
import { SourceError, sendPiece } from './sendPiece.ts'
import { beginTransfer, concludeTransfer, type Refusal } from './states.ts'
import { finishTransfer, judge, type PieceFailure, reasonToMove, refusalOf, storePiece } from './storePiece.ts'
import { loadWork, type PieceWork, type TransferWork } from './work.ts'

export type Engine = {
  /**
   * Sends what a transfer has planned, as far as that goes now: afterwards it is done, or its row says why not and when to try
   * again. Steps aside when it is not due, is over, or another runner has it. Ends early when the signal aborts; what the
   * providers have confirmed stays there. Rejects only when the database cannot be asked.
   * @returns whether it was this call's turn
   */
  run(transferId: string, signal: AbortSignal): Promise<boolean>
  /** Bytes per second of what runs here. */
  readonly speeds: ReadonlyMap<string, number>
}

export function createEngine(deps: EngineDeps): Engine {
  const rootFolders = createRootFolders(deps.pool)
  const speeds: Speeds = new Map()

  async function run(transferId: string, signal: AbortSignal): Promise<boolean> {
    const lease = await deps.leases.take(transferId)
    if (!lease) return false
    try {
      if (!(await beginTransfer(deps, transferId))) return false
      const ended = AbortSignal.any([signal, lease.signal])
      await sendAll({ deps, rootFolders, speeds, transferId, signal: ended })
      return true
    } finally {
      await lease.release()
    }
  }
  return { run, speeds }
}

type Run = {
  readonly deps: EngineDeps
  readonly rootFolders: RootFolders
  readonly speeds: Speeds
  readonly transferId: string
  readonly signal: AbortSignal
}

/** Rounds until nothing is left that a new plan could mend. */
async function sendAll(run: Run): Promise<void> {
  const { deps, transferId, signal } = run
  /** Why pieces are not tried again in this run. */
  const stopped = new Map<string, PieceFailure>()
  const refusing = new Map<string, Refusal | null>()
  let advanced = false
  for (;;) {
    const work = await loadWork(deps.pool, transferId)
    if (!work) return
    if (work.pieces.every(({ state }) => state === 'STORED')) return finishTransfer(deps, work)
    const open = work.pieces.filter(({ id, state }) => state === 'PLANNED' && !stopped.has(id))
    if (open.length === 0 || signal.aborted) {
      const refusals = [...refusing.values()].filter((refusal) => refusal !== null)
      return conclude(run, work, { failures: [...stopped.values()], advanced, refusals })
    }
    const progress = createProgress(deps, work, run.speeds)
    const failures = await sendOpen(run, work, open, progress).finally(() => progress.end())
    advanced ||= progress.advanced
    const moving = signal.aborted ? [] : failures.filter((failure) => reasonToMove(failure) !== null)
    for (const failure of moving) refusing.set(failure.piece.accountId, refusalOf(failure))
    const replanned = moving.length === 0 ? null : await replanPieces(deps, work, moving, new Set(refusing.keys()))
    const staying = failures.filter((failure) => !moving.includes(failure))
    for (const failure of [...staying, ...(replanned?.refused ?? [])]) stopped.set(failure.piece.id, failure)
  }
}

async function conclude(
  { deps, transferId, signal }: Run,
  work: TransferWork,
  {
    failures,
    advanced,
    refusals,
  }: { failures: readonly PieceFailure[]; advanced: boolean; refusals: readonly Refusal[] },
): Promise<void> {
  const { attempts } = work
  const interrupted = { state: 'WAITING', error: null, nextTryAt: null, attempts } as const
  const verdict = signal.aborted ? interrupted : judge(failures, { attempts, progressed: advanced }, deps.clock)
  await concludeTransfer(deps, transferId, { ...verdict, refusals })
}

/** Side by side; every piece that fails says so, the others go on. */
async function sendOpen(
  run: Run,
  work: TransferWork,
  open: readonly PieceWork[],
  progress: Progress,
): Promise<PieceFailure[]> {
  const { deps } = run
  let source: Promise<ByteSource> | undefined
  const openSource = () => {
    source ??= openSummed(deps, work.fileId).catch((cause: unknown) => {
      throw new SourceError('The content could not be opened.', { cause })
    })
    return source
  }
  const tasks = open.map((piece) => async (): Promise<PieceFailure | null> => {
    try {
      await sendOne(run, work, piece, progress, openSource)
      return null
    } catch (error) {
      return run.signal.aborted || error instanceof PieceGoneError ? null : told(deps, { piece, error })
    }
  })
  return (await deps.clock.parallel(tasks)).filter((failure) => failure !== null)
}

/** What a provider holds is read back by the sums of its blocks: they are there before it gets the first byte. */
async function openSummed({ pool, source }: EngineDeps, fileId: string): Promise<ByteSource> {
  const content = await source(fileId)
  await ensureBlockSums(pool, fileId, content)
  return content
}

async function sendOne(
  { deps, rootFolders, signal, transferId }: Run,
  work: TransferWork,
  piece: PieceWork,
  progress: Progress,
  openSource: () => Promise<ByteSource>,
): Promise<void> {
  const driver = await deps.openDriver(piece.accountId)
  const most = driver.capabilities.maxConcurrentWrites
  await deps.takeSlot(piece.accountId, most, async () => {
    signal.throwIfAborted()
    const source = await openSource()
    const call = { signal, requestId: `${transferId}.${piece.index}` }
    const onProgress = (bytes: number) => progress.report(piece.id, bytes)
    const stored = await sendPiece({ ...deps, rootFolders }, { work, piece, driver, source, call, onProgress })
    deps.report.worked(piece.accountId)
    const outcome = await storePiece(deps, work, piece, stored)
    if (outcome !== 'GONE') progress.stored(piece.id, piece.size, outcome === 'FINISHED')
  })
}

function told({ report, onError }: EngineDeps, failure: PieceFailure): PieceFailure {
  const { piece, error } = failure
  if (error instanceof ProviderError) report.failed(piece.accountId, error)
  else if (!(error instanceof SourceError)) onError(error)
  return failure
}
