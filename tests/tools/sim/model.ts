import { createCipheriv, createHash } from 'node:crypto'

/** A file as its uploader knows it. `id` null: there was no response, so it may or may not exist. */
export type ModelFile = {
  readonly number: number
  readonly size: number
  readonly sha256: string
  readonly key: string
  /** The request: a retry sends the same one. */
  readonly asked: {
    readonly name: string
    readonly groupCloudId: string
    readonly onConflict: 'RENAME' | 'REPLACE' | 'FAIL'
  }
  readonly askedAt: number
  id: string | null
  name: string
  groupCloudId: string
  trashed: boolean
  purged: boolean
  /** The file whose earlier version it has become; then `id` is the row that has its content. */
  versionOf: string | null
  /** Its last change had no response: it may or may not have been applied. */
  uncertain: boolean
}

/** What must be true of files: names, contents and places, derived only from responses. */
export type Model = {
  readonly files: ModelFile[]
  add(seed: string, size: number, asked: ModelFile['asked']): ModelFile
  /** Acknowledged ones that were not permanently deleted, without those that were replaced. */
  live(): ModelFile[]
  /** The same, with those that are versions now: their bytes must be there too. */
  kept(): ModelFile[]
}

export function createModel(): Model {
  const files: ModelFile[] = []
  return {
    files,
    add(seed, size, asked) {
      const number = files.length + 1
      const sha256 = createHash('sha256')
        .update(contentOf(seed, number, size))
        .digest('hex')
      const { name, groupCloudId } = asked
      const state = {
        askedAt: Date.now(),
        id: null,
        name,
        groupCloudId,
        trashed: false,
        purged: false,
        versionOf: null,
        uncertain: false,
      }
      const file = { number, size, sha256, key: `upload ${seed} ${number}`, asked, ...state }
      files.push(file)
      return file
    },
    live: () => files.filter(({ id, purged, versionOf }) => id !== null && !purged && versionOf === null),
    kept: () => files.filter(({ id, purged }) => id !== null && !purged),
  }
}

/** Bytes that differ from those of every other file of every schedule. */
export function contentOf(seed: string, number: number, size: number): Buffer {
  const key = createHash('md5').update(`${seed} ${number}`).digest()
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}
