import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, unlessUnanswered } from './client.ts'
import type { Ledger } from './ledger.ts'
import { pick, type Random } from './random.ts'

const MOST_BYTES = 8 * 1024 * 1024

export type WriterDeps = {
  readonly client: Client
  readonly ledger: Ledger
  readonly random: Random
  /** The kill loop has ended: finish active uploads. */
  readonly stopped: () => boolean
  /** There is a proxy that repeats deletions whose answer is lost, so that the answer to a single one can be that there is nothing. */
  readonly repeatsDeletions?: boolean
  /** Told about each acknowledged byte that is not there any more. */
  readonly onLoss: (what: string) => void
}

/** Uploads until `stop` is called, each file by one of the doors, and enters what is acknowledged into the ledger. */
export async function runWriter(deps: WriterDeps): Promise<void> {
  while (!deps.stopped()) {
    const bytes = randomBytes(deps.random.size(MOST_BYTES))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const doors = [uploadWhole, uploadInPieces, uploadByGraphql]
    const id = await pick(doors, deps.random)(deps, bytes, sha256)
    deps.ledger.add({ id, sha256, size: bytes.length })
  }
}

async function uploadWhole({ client, onLoss }: WriterDeps, bytes: Buffer, sha256: string): Promise<string> {
  const key = crypto.randomUUID()
  const file = await untilAnswered(() => client.upload(`${key}.bin`, bytes, key))
  if (file.sha256 !== sha256) onLoss(`file ${file.id} was acknowledged with another hash`)
  return file.id
}

async function uploadByGraphql({ client }: WriterDeps, bytes: Buffer): Promise<string> {
  return untilAnswered(() => client.uploadByGraphql(`${crypto.randomUUID()}.bin`, bytes))
}

async function uploadInPieces(deps: WriterDeps, bytes: Buffer): Promise<string> {
  return sendInPieces(deps, { name: `${crypto.randomUUID()}.bin`, bytes })
}

type Sent = { readonly name: string; readonly bytes: Buffer; readonly fields?: Readonly<Record<string, string>> }

/** An offset that a PATCH or a HEAD has returned must hold whatever happens. @returns the id of the file */
export async function sendInPieces(
  { client, random, onLoss }: WriterDeps,
  { name, bytes, fields }: Sent,
): Promise<string> {
  const key = crypto.randomUUID()
  const path = await untilAnswered(() => client.open(name, bytes.length, key, fields))
  const pieceSize = Math.ceil(bytes.length / random.between(1, 4))
  for (let acknowledged = 0; ; ) {
    const offset = await untilAnswered(() => client.offset(path))
    if (offset < acknowledged) onLoss(`${path} was acknowledged to byte ${acknowledged} and is at ${offset}`)
    acknowledged = offset
    const piece = bytes.subarray(offset, offset + pieceSize)
    const answer = await client.append(path, offset, piece).catch(unlessUnanswered)
    if (answer?.fileId) return answer.fileId
    acknowledged = answer?.offset ?? acknowledged
  }
}

/** Asks until the server answers. */
export async function untilAnswered<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const answer = await ask().catch(unlessUnanswered)
    if (answer !== undefined) return answer
    await sleep(20)
  }
}
