import { Readable } from 'node:stream'
import type { ByteSource } from '../../../../server/storage/byteSource.ts'
import { contentOf, type ModelFile } from '../model.ts'
import type { Chance } from '../random.ts'
import type { World } from '../world.ts'
import { NOTHING, type Operation } from './operation.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BLOCK = MIB
/** A request is known again for a day; its clocks may differ a little. */
const KEY_LIVES_MS = 23 * 3_600_000

/** Around everything that has an edge: chunks, blocks, the largest object of a service. */
function sizeOf(chance: Chance): number {
  const edge = chance.oneOf([64 * KIB, BLOCK, 2 * BLOCK])
  return {
    empty: () => 0,
    tiny: () => chance.between(1, 5_000),
    small: () => chance.between(5_000, 300_000),
    edge: () => edge + chance.between(-1, 1),
    large: () => chance.between(300_000, 3 * MIB),
  }[chance.weighted({ empty: 1, tiny: 4, small: 8, edge: 3, large: 4 })]()
}

export const upload: Operation = async (world, chance) => {
  const groupCloudId = chance.pick(world.groupCloudIds) ?? ''
  const namesake = chance.happens(0.15) ? chance.pick(world.model.live()) : undefined
  const name = namesake?.name ?? `f${world.model.files.length + 1}.bin`
  const onConflict = namesake ? chance.oneOf(['RENAME', 'REPLACE', 'FAIL'] as const) : 'RENAME'
  const file = world.model.add(world.seed, sizeOf(chance), { name, groupCloudId, onConflict })
  return send(world, chance, file)
}

/** The client got no answer, or asks again although it got one: the same request, byte for byte. */
export const uploadAgain: Operation = async (world, chance) => {
  const remembered = world.model.files.filter(
    ({ askedAt, versionOf }) => world.clock.now() - askedAt < KEY_LIVES_MS && versionOf === null,
  )
  const unanswered = remembered.filter(({ id }) => id === null)
  const file = chance.pick(unanswered) ?? chance.pick(remembered.filter(({ purged }) => !purged))
  return file ? send(world, chance, file) : NOTHING
}

async function send(world: World, chance: Chance, file: ModelFile): Promise<string> {
  const bytes = contentOf(world.seed, file.number, file.size)
  const isCut = chance.happens(0.08) && file.size > 0
  const { name, groupCloudId, onConflict } = file.asked
  const before = file.id
  const body = Readable.from(chunks(bytes, isCut ? chance.between(0, file.size - 1) : null), { objectMode: false })
  const size = chance.happens(0.8) || isCut ? file.size : null
  const stored = await world.server.uploads.receive(
    world.viewer,
    { name, size, groupCloudId, onConflict },
    body,
    file.key,
  )
  if (isCut) world.violations.push(`I1: an upload that broke off was accepted (${name})`)
  if (before !== null && before !== stored.id) world.violations.push(`I5: one request made two files (${name})`)
  if (stored.sha256 !== file.sha256) world.violations.push(`I1: another content was acknowledged (${name})`)
  const isNew = file.id === null
  file.id = stored.id
  if (isNew) recordName(world, file, stored)
  return `${file.size} bytes as ${stored.name}: ${stored.state}`
}

type Stored = { readonly id: string; readonly name: string; readonly groupCloudId: string | null }

/** What was replaced is a version now, which `judgeStep` finds by its content. The same content changes nothing: it is one file. */
function recordName({ model }: World, file: ModelFile, { id, name, groupCloudId }: Stored): void {
  Object.assign(file, { name, groupCloudId: groupCloudId ?? file.groupCloudId })
  for (const other of model.live()) {
    if (other !== file && other.id === id && other.sha256 === file.sha256) other.id = null
  }
}

async function* chunks(bytes: Buffer, cutAt: number | null): AsyncGenerator<Buffer> {
  const end = cutAt ?? bytes.length
  for (let at = 0; at < end; at += 64 * KIB) yield bytes.subarray(at, Math.min(at + 64 * KIB, end))
  if (cutAt !== null) throw new Error('The client has gone.')
}

/** In several requests, some of which break off. */
export const uploadInParts: Operation = async (world, chance) => {
  const { uploads } = world.server
  const groupCloudId = chance.pick(world.groupCloudIds) ?? ''
  const asked = { name: `f${world.model.files.length + 1}.bin`, groupCloudId, onConflict: 'RENAME' } as const
  const file = world.model.add(world.seed, sizeOf(chance), asked)
  const bytes = contentOf(world.seed, file.number, file.size)
  const { id } = await uploads.create(world.viewer, { ...asked, size: file.size }, file.key)
  for (let part = 0; part < 6; part += 1) {
    const { offset } = await uploads.get(world.viewer, id)
    if (offset === file.size) break
    const isLast = part === 5 || chance.happens(0.4)
    const end = isLast ? file.size : chance.between(offset, file.size)
    const isCut = !isLast && chance.happens(0.3)
    const body = Readable.from(chunks(bytes.subarray(offset, end), isCut ? end - offset : null), { objectMode: false })
    await uploads.append(world.viewer, id, offset, body).catch((error: unknown) => {
      if (!isCut) throw error
    })
  }
  if (chance.happens(0.15)) {
    await uploads.remove(world.viewer, id)
    return 'given up'
  }
  const stored = await uploads.finish(world.viewer, id)
  file.id = stored.id
  file.name = stored.name
  return `${file.size} bytes in parts as ${stored.name}: ${stored.state}`
}

export const read: Operation = async (world, chance) => {
  const file = chance.pick(world.model.live())
  if (!file) return NOTHING
  return readRange(world, file, 0, file.size - 1)
}

export const readPart: Operation = async (world, chance) => {
  const file = chance.pick(world.model.live())
  if (!file || file.size === 0) return NOTHING
  const start = chance.between(0, file.size - 1)
  return readRange(world, file, start, chance.between(start, file.size - 1))
}

/** Judges every byte that comes, also before an error. */
export async function readRange(world: World, file: ModelFile, start: number, end: number): Promise<string> {
  const expected = contentOf(world.seed, file.number, file.size).subarray(start, end + 1)
  const { source } = await world.server.files.open(world.viewer, file.id ?? '')
  let position = 0
  for await (const chunk of source.read(start, end) as AsyncIterable<Buffer>) {
    if (!chunk.equals(expected.subarray(position, position + chunk.length))) {
      world.violations.push(`I2: wrong bytes of ${file.name} at ${start + position}`)
    }
    position += chunk.length
  }
  if (position !== expected.length) world.violations.push(`I2: ${position} of ${expected.length} bytes of ${file.name}`)
  return `read ${file.name} from ${start} to ${end}`
}

/** A client disconnects in the middle of a download. */
export const leave: Operation = async (world, chance) => {
  const file = chance.pick(world.model.live())
  if (!file || file.size === 0) return NOTHING
  const { source } = await world.server.files.open(world.viewer, file.id ?? '')
  return leaveAfterFirst(source, file)
}

async function leaveAfterFirst(source: ByteSource, { size, name }: ModelFile): Promise<string> {
  for await (const _chunk of source.read(0, size - 1)) break
  return `left ${name}`
}
