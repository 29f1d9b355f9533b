import { createHash } from 'node:crypto'
import type { ClientBase, Pool } from 'pg'
import {
  createKeepingSha256,
  createSavableSha256,
  type SavableSha256,
  type Sha256,
} from '../../../lib/savableSha256.ts'
import type { ByteSource } from '../../../storage/byteSource.ts'

const MIB = 2 ** 20
/** Read-ahead holds whole blocks in memory: larger ones would make a single download too expensive. */
const LARGEST_BLOCK = 4 * MIB
/** Up to this size, the sums of 1 MiB blocks take at most 64 KiB. */
const LARGEST_WITH_SMALL_BLOCKS = 8 * 2 ** 30

/** Bytes of the SHA-256 that are stored for each block. */
export const SUM_BYTES = 8

export type BlockSums = { readonly blockSize: number; readonly sums: Buffer }

/** Block size of a content (the last block may be shorter): 1 MiB up to 8 GiB, then 2 MiB and 4 MiB. */
function blockSizeOf(size: number): number {
  let blockSize = MIB
  for (let limit = LARGEST_WITH_SMALL_BLOCKS; size > limit && blockSize < LARGEST_BLOCK; limit *= 2) blockSize *= 2
  return blockSize
}

export function blockSum(hash: Pick<Sha256, 'digest'>): Buffer {
  return hash.digest().subarray(0, SUM_BYTES)
}

export type BlockSummer = {
  /** The next bytes of the content, in chunks of any length. */
  update(chunk: Buffer): void
  /** Once, after the last byte. */
  result(): BlockSums
  /** An independent summer with the same state. */
  copy(): BlockSummer
  /** For `restoreBlockSummer`; null unless it was created as savable. */
  state(): SavedSummer | null
}

/** Buffers are in base64. */
export type SavedSummer = {
  readonly blockSize: number
  readonly sums: string
  readonly hash: string
  readonly filled: number
}

type Summed<Hash extends Sha256> = {
  readonly blockSize: number
  readonly sums: readonly Buffer[]
  readonly hash: Hash
  readonly filled: number
}

/** A new hash, and its state if it has one. */
type Hashing<Hash extends Sha256> = { readonly create: () => Hash; readonly state: (hash: Hash) => Buffer | null }

const NATIVE: Hashing<Sha256> = { create: () => createHash('sha256'), state: () => null }
const SAVABLE: Hashing<SavableSha256> = { create: createKeepingSha256, state: (hash) => hash.state() }

/**
 * Sums the blocks of a content while it streams through; `size` null: the length is not known beforehand. `savable`: its state can be
 * stored; until it is, a block that is not complete is kept in memory.
 */
export function createBlockSummer(size: number | null, savable = false): BlockSummer {
  const begun = { blockSize: blockSizeOf(size ?? 0), sums: [], filled: 0 }
  if (savable) return summerFrom(SAVABLE, { ...begun, hash: SAVABLE.create() })
  return summerFrom(NATIVE, { ...begun, hash: NATIVE.create() })
}

export function restoreBlockSummer({ blockSize, sums, hash, filled }: SavedSummer): BlockSummer {
  const restored = createSavableSha256(Buffer.from(hash, 'base64'))
  return summerFrom(SAVABLE, { blockSize, sums: [Buffer.from(sums, 'base64')], hash: restored, filled })
}

function summerFrom<Hash extends Sha256>(
  hashing: Hashing<Hash>,
  { blockSize, sums: before, hash: begun, filled: held }: Summed<Hash>,
): BlockSummer {
  const sums = [...before]
  let hash = begun
  let filled = held

  function close(): void {
    sums.push(blockSum(hash))
    hash = hashing.create()
    filled = 0
  }

  return {
    update(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + blockSize - filled)
        hash.update(part)
        filled += part.length
        at += part.length
        if (filled === blockSize) close()
      }
    },
    result() {
      if (filled > 0) close()
      return { blockSize, sums: Buffer.concat(sums) }
    },
    copy: () => summerFrom(hashing, { blockSize, sums, hash: hash.copy() as Hash, filled }),
    state() {
      const saved = hashing.state(hash)
      if (saved === null) return null
      return { blockSize, sums: Buffer.concat(sums).toString('base64'), hash: saved.toString('base64'), filled }
    },
  }
}

/** Existing sums are kept: they belong to the content, and move with it. */
export async function saveBlockSums(
  client: ClientBase | Pool,
  fileId: string,
  { blockSize, sums }: BlockSums,
): Promise<void> {
  await client.query({
    name: 'files save block sums',
    text: 'insert into block_sums (file_id, block_size, sums) values ($1, $2, $3) on conflict (file_id) do nothing',
    values: [fileId, blockSize, sums],
  })
}

/** As saveBlockSums, for many files in one statement. */
export async function saveManyBlockSums(
  client: ClientBase,
  files: readonly (BlockSums & { readonly fileId: string })[],
): Promise<void> {
  if (files.length === 0) return
  await client.query({
    name: 'files save many block sums',
    text: `insert into block_sums (file_id, block_size, sums)
      select * from unnest($1::uuid[], $2::int[], $3::bytea[]) on conflict (file_id) do nothing`,
    values: [files.map(({ fileId }) => fileId), files.map(({ blockSize }) => blockSize), files.map(({ sums }) => sums)],
  })
}

/** Reads a whole content and returns its sums. */
export async function sumBlocks(source: ByteSource): Promise<BlockSums> {
  const summer = createBlockSummer(source.size)
  for await (const chunk of chunksOf(source)) summer.update(chunk)
  return summer.result()
}

/**
 * Sums a content that only this server held, before a provider gets the first byte of a copy, and verifies that it is still what was
 * received.
 * @throws when it is not
 */
export async function ensureBlockSums(pool: Pool, copyId: string, source: ByteSource): Promise<void> {
  const { rows } = await pool.query<{ sha256: Buffer | null; known: boolean }>({
    name: 'files need block sums',
    text: `select f.sha256, exists (select from block_sums where file_id = f.id) as known
      from copies c join files f on f.id = c.file_id where c.id = $1`,
    values: [copyId],
  })
  const [file] = rows
  if (!file || file.known) return
  const hash = createHash('sha256')
  const summer = createBlockSummer(source.size)
  for await (const chunk of chunksOf(source)) {
    hash.update(chunk)
    summer.update(chunk)
  }
  if (file.sha256 && !hash.digest().equals(file.sha256)) {
    throw new Error('The content of a file is not what was received.')
  }
  await saveSumsOfCopy(pool, copyId, summer.result())
}

/** Saves the checksums with the file that the copy belongs to now: replacing a content gives its copies to another row. */
async function saveSumsOfCopy(pool: Pool, copyId: string, { blockSize, sums }: BlockSums): Promise<void> {
  await pool.query(
    `with copy as (select file_id from copies where id = $1 for share)
     insert into block_sums (file_id, block_size, sums) select file_id, $2, $3 from copy on conflict (file_id) do nothing`,
    [copyId, blockSize, sums],
  )
}

function chunksOf(source: ByteSource): AsyncIterable<Buffer> | readonly Buffer[] {
  return source.size === 0 ? [] : (source.read(0, source.size - 1) as AsyncIterable<Buffer>)
}
