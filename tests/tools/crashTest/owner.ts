import { createHash, randomBytes } from 'node:crypto'
import { type Client, unlessUnanswered } from './client.ts'
import type { Entry } from './ledger.ts'
import { pick, type Random } from './random.ts'
import { untilAnswered } from './writer.ts'

const MOST_BYTES = 1024 * 1024
/** More than one part at each service. */
const LARGE_BYTES = 12 * 1024 * 1024
/** Of each owner: then files are only deleted. */
const MOST_FILES = 60

export type OwnerDeps = {
  readonly client: Client
  readonly random: Random
  readonly groupCloudId: string
  readonly stopped: () => boolean
  /** Called for what must not happen. */
  readonly onViolation: (what: string) => void
}

export type Owner = {
  /** What was acknowledged and was not deleted. */
  readonly held: ReadonlyMap<string, Entry>
  /** How often each was acknowledged. */
  readonly done: Readonly<Record<string, number>>
  run(): Promise<void>
}

/** Uploads, replaces, moves, renames, deletes and reads files, each until it is acknowledged, in folders that only this owner uses. */
export function createOwner({ client, random, groupCloudId, stopped, onViolation }: OwnerDeps): Owner {
  const held = new Map<string, Entry & { name: string; folder: string }>()
  const done: Record<string, number> = {}
  const folders: string[] = []
  const any = () => pick([...held.values()], random)

  async function upload(name: string, folder: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const bytes = randomBytes(random.next() < 0.04 ? LARGE_BYTES : random.size(MOST_BYTES))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const fields = { groupCloudId, parentId: folder, ...more }
    const id = random.next() < 0.6 ? await whole(name, bytes, fields) : await inPieces(name, bytes, fields)
    held.set(id, { id, sha256, size: bytes.length, name, folder })
    return id
  }

  async function whole(name: string, bytes: Buffer, fields: Readonly<Record<string, string>>): Promise<string> {
    const key = crypto.randomUUID()
    return (await untilAnswered(() => client.upload(name, bytes, key, fields))).id
  }

  async function inPieces(name: string, bytes: Buffer, fields: Readonly<Record<string, string>>): Promise<string> {
    const key = crypto.randomUUID()
    const path = await untilAnswered(() => client.open(name, bytes.length, key, fields))
    const pieceSize = Math.ceil(bytes.length / random.between(1, 3))
    for (;;) {
      const offset = await untilAnswered(() => client.offset(path))
      const answer = await client
        .append(path, offset, bytes.subarray(offset, offset + pieceSize))
        .catch(unlessUnanswered)
      if (answer?.fileId) return answer.fileId
    }
  }

  const actions = {
    upload: () => upload(`${crypto.randomUUID()}.bin`, pick(folders, random)),
    /** The former content is an earlier version of the same file then. */
    async replace() {
      const { id, name, folder } = any()
      const replaced = await upload(name, folder, { onConflict: 'replace' })
      if (replaced !== id) onViolation(`${id} became ${replaced} when it was replaced`)
    },
    async move() {
      const entry = any()
      const change = { name: `${crypto.randomUUID()}.bin`, parentId: pick(folders, random) }
      const { status } = await untilAnswered(() => client.json('PATCH', `/files/${entry.id}`, change))
      if (status === 200) held.set(entry.id, { ...entry, name: change.name, folder: change.parentId })
      else onViolation(`${entry.id} was not moved: ${status}`)
    },
    async remove() {
      const { id } = any()
      held.delete(id)
      const permanent = random.next() < 0.7
      const path = `/files/${id}${permanent ? '?permanent=true' : ''}`
      // 404: deleted by a request whose response was lost.
      const { status } = await untilAnswered(() => client.json('DELETE', path))
      if (status !== 204 && status !== 404) onViolation(`${id} was not deleted: ${status}`)
    },
    async read() {
      const { id, sha256, size } = any()
      const found = await client.download(id).catch(unlessUnanswered)
      if (found && (found.sha256 !== sha256 || found.size !== size)) onViolation(`${id} was read with other bytes`)
    },
  }
  const often = ['upload', 'upload', 'upload', 'replace', 'move', 'remove', 'remove', 'read'] as const

  return {
    held,
    done,
    async run() {
      for (let count = 0; count < 3; count += 1) {
        const folder = { name: `Folder ${crypto.randomUUID()}`, parentId: null }
        const made = await untilAnswered(() => client.json<{ id: string }>('POST', '/files/folders', folder))
        folders.push(made.body.id)
      }
      while (!stopped()) {
        const action = held.size < 3 ? 'upload' : held.size > MOST_FILES ? 'remove' : pick(often, random)
        await actions[action]()
        done[action] = (done[action] ?? 0) + 1
      }
    },
  }
}
