import type { ModelFile } from '../model.ts'
import type { World } from '../world.ts'

type Row = {
  readonly id: string
  readonly name: string
  readonly sha256: string
  readonly groupCloudId: string | null
  readonly trashed: boolean
  readonly purged: boolean
  /** Of a hidden row with the content of an earlier version: its file. */
  readonly versionOf: string | null
}

const FILES = `select id, name, encode(sha256, 'hex') as sha256, group_cloud_id as "groupCloudId", trashed_at is not null as trashed,
  purged_at is not null as purged, case when is_version then parent_id end as "versionOf" from files where user_id = $1 and kind = 'FILE' order by id`

/** What must hold after every step, whatever failed: files are those that were acknowledged (I1, I5), sums are right (I6). */
export async function judgeStep(world: World): Promise<void> {
  const { rows } = await world.control.query<Row>(FILES, [world.viewer.userId])
  const byId = new Map(rows.map((row) => [row.id, row]))
  follow(world, rows, byId)
  adopt(world, rows)
  for (const file of world.model.files) {
    if (file.versionOf !== null) judgeVersion(world, file, byId)
    else judgeFile(world, file, byId.get(file.id ?? ''))
  }
  world.violations.push(...(await wrongSums(world)))
}

/** A file that was replaced, with or without an answer: its content is in the row of a version. */
function follow({ model }: World, rows: readonly Row[], byId: ReadonlyMap<string, Row>): void {
  const taken = new Set(model.files.map(({ id }) => id))
  for (const file of model.files) {
    const row = byId.get(file.id ?? '')
    if (!row || file.versionOf !== null || row.sha256 === file.sha256) continue
    const version = rows.find(
      ({ id, sha256, versionOf }) => !taken.has(id) && versionOf === file.id && sha256 === file.sha256,
    )
    if (!version) continue
    taken.add(version.id)
    Object.assign(file, { id: version.id, versionOf: version.versionOf })
  }
}

/** It is there, with its content, as long as its file is. */
function judgeVersion({ violations }: World, file: ModelFile, byId: ReadonlyMap<string, Row>): void {
  const row = byId.get(file.id ?? '')
  const purged = row?.purged ?? true
  const isFileGone = byId.get(file.versionOf ?? '')?.purged ?? true
  if (purged !== isFileGone) violations.push(`I1: a version of ${file.name} is ${purged ? 'gone' : 'left over'}`)
  file.purged = purged
  if (row && row.sha256 !== file.sha256) violations.push(`I1: a version of ${file.name} has another content`)
}

/** Of requests without an answer: what they made is known by its content. */
function adopt({ model, violations }: World, rows: readonly Row[]): void {
  const known = new Set(model.files.map(({ id }) => id))
  for (const row of rows) {
    // What the file has already is discarded.
    if (known.has(row.id) || (row.versionOf !== null && row.purged)) continue
    const file = model.files.find(
      ({ id, sha256, asked }) => id === null && sha256 === row.sha256 && like(asked.name, row),
    )
    if (!file) {
      const twin = model.files.find(({ sha256 }) => sha256 === row.sha256)
      violations.push(twin ? `I5: ${twin.asked.name} was made twice` : `I10: no operation created the file ${row.name}`)
      continue
    }
    Object.assign(file, { id: row.id, name: row.name, uncertain: true })
    const replaced = file.asked.onConflict === 'REPLACE' ? model.live() : []
    for (const other of replaced) if (other !== file && other.name === row.name) other.uncertain = true
  }
}

/** Empty files all have one content. */
function like(asked: string, row: Row): boolean {
  return row.name.startsWith(asked.replace(/\.bin$/, ''))
}

function judgeFile({ violations, note }: World, file: ModelFile, row: Row | undefined): void {
  if (file.id === null) return
  const purged = row?.purged ?? true
  if (file.uncertain) {
    if (row) Object.assign(file, { name: row.name, trashed: row.trashed, groupCloudId: row.groupCloudId })
    if (purged !== file.purged) note(`  ${file.name} is ${purged ? 'purged' : 'there'} after all`)
    Object.assign(file, { purged, uncertain: false })
    return
  }
  if (purged !== file.purged) violations.push(`I1: ${file.name} is ${purged ? 'gone' : 'there again'}`)
  if (!row || purged) return
  if (row.sha256 !== file.sha256) violations.push(`I1: ${file.name} has another content`)
  if (row.name !== file.name) violations.push(`I10: ${file.name} is called ${row.name}`)
  if (row.trashed !== file.trashed) violations.push(`I10: ${file.name} is ${row.trashed ? '' : 'not '}in the trash`)
  if (row.groupCloudId !== file.groupCloudId) violations.push(`I10: ${file.name} is in another group cloud`)
}

const SUMS = `select a.name, a.provider, a.reserved_bytes::float8 as reserved, a.used_bytes::float8 as used,
    (select coalesce(sum(size), 0) from pieces p where p.account_id = a.id and p.state = 'PLANNED')::float8
      + (select coalesce(sum(bytes), 0) from upload_reservations r where r.account_id = a.id)::float8 as "mustReserve",
    (select coalesce(sum(p.size), 0) from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
      where p.account_id = a.id and p.state = 'STORED' and f.purged_at is null)::float8 as "mustUse"
  from accounts a where a.user_id = $1`

type Sums = Readonly<Record<'reserved' | 'used' | 'mustReserve' | 'mustUse', number>> & {
  readonly name: string
  readonly provider: string
}

async function wrongSums({ control, viewer }: World): Promise<string[]> {
  const { rows } = await control.query<Sums>(SUMS, [viewer.userId])
  return rows.flatMap(({ name, provider, reserved, used, mustReserve, mustUse }) => [
    ...(reserved === mustReserve ? [] : [`I6: ${name} reserves ${reserved} bytes instead of ${mustReserve}`]),
    ...(provider !== 'local' || used === mustUse ? [] : [`I6: ${name} uses ${used} bytes instead of ${mustUse}`]),
  ])
}
