import { createHash, randomBytes } from 'node:crypto'
import type { Client } from './client.ts'
import type { Content, Ledger } from './ledger.ts'
import { pick, type Random } from './random.ts'
import { sendInPieces, untilAnswered, type WriterDeps } from './writer.ts'

const MOST_BYTES = 2 * 1024 * 1024
/** Far below the number that the server keeps, so that it removes none by itself. */
const MOST_VERSIONS = 12

/** A file that one writer alone changes, as it was acknowledged: its contents, the current one first. */
type Document = { readonly id: string; readonly name: string; readonly contents: readonly Content[] }

type Deps = WriterDeps & { readonly document: Document }

type Listed = Content & { readonly id: string; readonly isCurrent: boolean }

/**
 * Replaces a file by every door, restores and deletes its earlier versions, and sometimes deletes all of it permanently, until `stopped`. Each
 * change is repeated until it is answered, so that one state is right after it: that one is compared with what the server lists, and entered
 * into the ledger.
 */
export async function runVersionWriter(deps: WriterDeps): Promise<void> {
  let document: Document | null = null
  while (!deps.stopped()) {
    if (!document) {
      document = await begin(deps)
      continue
    }
    const contents = await change({ ...deps, document })
    document = contents && { ...document, contents }
    if (!document) continue
    deps.ledger.keep(document.id, document.contents)
    for (const problem of await compare(deps.client, document.id, document.contents)) deps.onLoss(problem)
  }
}

async function begin({ client, ledger, random }: WriterDeps): Promise<Document> {
  const key = crypto.randomUUID()
  const { bytes, content } = newContent(random)
  const { id } = await untilAnswered(() => client.upload(`${key}.txt`, bytes, key))
  ledger.keep(id, [content])
  return { id, name: `${key}.txt`, contents: [content] }
}

/** So many random bytes do not come twice: a file that gets a content again has it by restoring it, which the count of bytes relies on. */
const LEAST_BYTES = 16

function newContent(random: Random): { readonly bytes: Buffer; readonly content: Content } {
  // Text is what editors save.
  const bytes = Buffer.from(randomBytes(LEAST_BYTES + Math.ceil(random.size(MOST_BYTES) / 2)).toString('hex'))
  return { bytes, content: { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length } }
}

/** @returns the contents afterwards; null when the file is deleted permanently */
async function change(deps: Deps): Promise<readonly Content[] | null> {
  const { document, random } = deps
  const earlier = document.contents.length - 1
  if (earlier > 1 && random.next() < 0.1) return purge(deps)
  if (earlier >= MOST_VERSIONS || (earlier > 0 && random.next() < 0.25)) return removeOne(deps)
  if (earlier > 0 && random.next() < 0.25) return restoreOne(deps)
  const { bytes, content } = newContent(random)
  await pick([save, upload, uploadInPieces], random)(deps, bytes, content.sha256)
  return [content, ...document.contents]
}

/** As editors and programs do: only over the content that was read. After a lost answer, 412 says that it is there already. */
async function save({ client, document, random, onLoss }: Deps, bytes: Buffer, sha256: string): Promise<void> {
  const source = pick(['editor', 'upload'], random)
  const over = document.contents[0]?.sha256 ?? ''
  const answer = await untilAnswered(() => client.replace(document.id, bytes, { over, source }))
  if (answer === 'replaced') return
  const now = await untilAnswered(() => client.download(document.id))
  if (now.sha256 !== sha256)
    onLoss(`${document.id}: was refused over ${over}, which was acknowledged, and has ${now.sha256}`)
}

async function upload({ client, document, onLoss }: Deps, bytes: Buffer, sha256: string): Promise<void> {
  const key = crypto.randomUUID()
  const file = await untilAnswered(() => client.upload(document.name, bytes, key, { onConflict: 'replace' }))
  if (file.id !== document.id) onLoss(`${document.id}: was to be replaced, and ${file.id} was made`)
  if (file.sha256 !== sha256) onLoss(`${document.id}: was acknowledged with another hash`)
}

async function uploadInPieces(deps: Deps, bytes: Buffer): Promise<void> {
  const { document, onLoss } = deps
  const id = await sendInPieces(deps, { name: document.name, bytes, fields: { onConflict: 'replace' } })
  if (id !== document.id) onLoss(`${document.id}: was to be replaced, and ${id} was made`)
}

async function restoreOne(deps: Deps): Promise<readonly Content[]> {
  const { client, document, onLoss } = deps
  const { contents } = document
  const { version, content } = await earlierOne(deps)
  if (!version || !content) return contents
  const status = await untilAnswered(() => client.restore(version.id))
  if (status !== 200) onLoss(`${document.id}: an earlier version was not restored, but answered ${status}`)
  // Restoring what the file has already changes nothing.
  return content.sha256 === contents[0]?.sha256 ? contents : [content, ...contents]
}

async function removeOne(deps: Deps): Promise<readonly Content[]> {
  const { document, onLoss } = deps
  const { version, index } = await earlierOne(deps)
  if (!version) return document.contents
  const status = await untilRemoved(deps, `/versions/${version.id}`)
  if (status !== 204) onLoss(`${document.id}: an earlier version was gone before it was deleted (${status})`)
  return document.contents.filter((_, at) => at !== index)
}

async function purge(deps: Deps): Promise<null> {
  const { document, ledger, onLoss } = deps
  const status = await untilRemoved(deps, `/files/${document.id}?permanent=true`)
  if (status !== 204) onLoss(`${document.id}: was gone before it was deleted (${status})`)
  ledger.keep(document.id, null)
  return null
}

/** @returns the status; 204 also for 404 after a lost answer, which may have been the deletion */
async function untilRemoved({ client, repeatsDeletions = false }: Deps, path: string): Promise<number> {
  let asked = 0
  const { status } = await untilAnswered(() => {
    asked += 1
    return client.json('DELETE', path)
  })
  return status === 404 && (repeatsDeletions || asked > 1) ? 204 : status
}

async function earlierOne({ client, document, random }: Deps) {
  const listed = await list(client, document.id)
  const index = random.between(1, document.contents.length - 1)
  return { version: listed[index], content: document.contents[index], index }
}

async function list(client: Client, fileId: string): Promise<readonly Listed[]> {
  const answer = await untilAnswered(() =>
    client.json<{ items?: readonly Listed[] }>('GET', `/files/${fileId}/versions?limit=200`),
  )
  return answer.body.items ?? []
}

const written = (contents: readonly Content[]) =>
  contents.map(({ sha256, size }) => `${sha256.slice(0, 8)}/${size}`).join(' ')

/** @returns a sentence when the server lists other versions than those that were acknowledged */
async function compare(client: Client, fileId: string, contents: readonly Content[]): Promise<string[]> {
  const listed = await list(client, fileId)
  if (written(listed) === written(contents)) return []
  return [`${fileId}: has the versions ${written(listed)} instead of ${written(contents)}`]
}

/**
 * Reads every version that was acknowledged, and what the server counts of them. @returns a sentence for each one that is lost, altered or
 * too many, and for a wrong count
 */
export async function judgeVersions(client: Client, documents: Ledger['documents']): Promise<string[]> {
  const problems: string[] = []
  let versions = 0
  let bytes = 0
  for (const [id, contents] of documents) {
    if (contents === null) {
      const { status } = await untilAnswered(() => client.json('GET', `/files/${id}`))
      if (status !== 404) problems.push(`${id}: was deleted permanently, and answers ${status}`)
      continue
    }
    versions += contents.length - 1
    bytes += earlierBytes(contents)
    problems.push(...(await compare(client, id, contents)), ...(await readAll(client, id)))
  }
  const { body } = await untilAnswered(() => client.json<{ versions: number; bytes: number }>('GET', '/version-limits'))
  if (body.versions !== versions || body.bytes !== bytes) {
    problems.push(
      `${body.versions} earlier versions of ${body.bytes} bytes are counted instead of ${versions} of ${bytes}`,
    )
  }
  return problems
}

async function readAll(client: Client, fileId: string): Promise<string[]> {
  const problems: string[] = []
  for (const { id, sha256, size } of await list(client, fileId)) {
    const found = await client.download(id, 'versions').catch((error: unknown) => String(error))
    if (typeof found === 'string') problems.push(`${fileId}, version ${id}: ${found}`)
    else if (found.sha256 !== sha256)
      problems.push(`${fileId}, version ${id}: ${found.size} bytes, not the ${size} sent`)
  }
  return problems
}

/** Versions with the same content share it, also with the current one, which is not counted. */
function earlierBytes([current, ...earlier]: readonly Content[]): number {
  const sizes = new Map(earlier.map(({ sha256, size }) => [sha256, size]))
  if (current) sizes.delete(current.sha256)
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

/** For reports: acknowledged versions, and files that were deleted permanently with all of theirs. */
export function countVersions(documents: Ledger['documents']): { readonly versions: number; readonly purged: number } {
  const all = [...documents.values()]
  return {
    versions: all.reduce((sum, contents) => sum + (contents?.length ?? 0), 0),
    purged: all.filter((contents) => contents === null).length,
  }
}
