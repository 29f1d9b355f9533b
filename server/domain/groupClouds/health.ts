import type { Pool } from 'pg'
import type { Viewer } from '../viewer.ts'
import type { GroupCloudHealth } from './contract.ts'

/** Index-only: files_of_group_cloud contains all columns that are counted, so no row of a file is read. */
export const HEALTH = {
  name: 'group-clouds-health',
  text: `select g.id, g.copies, f.files, f.bytes::float8 as bytes, f.at_risk, f.storing, m.members, m.lost
    from group_clouds g
    cross join lateral (
      select count(*)::int as files, coalesce(sum(size), 0) as bytes, count(*) filter (where state = 'AT_RISK')::int as at_risk,
        count(*) filter (where state in ('RECEIVED', 'STORING'))::int as storing
      from files where group_cloud_id = g.id and kind = 'FILE' and trash_root_id is null and purged_at is null
    ) f
    cross join lateral (
      select count(*)::int as members, coalesce(array_agg(a.name order by m.position)
        filter (where a.status <> 'CONNECTED' or a.unreachable_since is not null), '{}') as lost
      from group_cloud_members m join accounts a on a.id = m.account_id and a.disconnected_at is null
      where m.group_cloud_id = g.id
    ) m
    where g.id = any($1::uuid[]) and g.user_id = $2`,
}

type Row = {
  readonly id: string
  readonly copies: number
  readonly files: number
  readonly bytes: number
  readonly at_risk: number
  readonly storing: number
  readonly members: number
  /** Names of the members that cannot be used now. */
  readonly lost: readonly string[]
}

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** By id. Files in Trash do not count. Group clouds that are not the viewer's are left out. */
export async function readHealth(
  pool: Pool,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Map<string, GroupCloudHealth>> {
  const { rows } = await pool.query<Row>({ ...HEALTH, values: [ids, viewer.userId] })
  return new Map(
    rows.map((row) => {
      const { files, bytes, at_risk: atRiskFiles, storing: storingFiles } = row
      return [row.id, { files, bytes, atRiskFiles, storingFiles, summary: summaryOf(row) }]
    }),
  )
}

/** The most urgent fact only. */
function summaryOf(row: Row): string {
  const { files, at_risk: atRisk, storing, members, lost, copies } = row
  if (members === 0) return 'This group cloud has no accounts. Please add one to it.'
  const names = LIST.format(lost.map((name) => `“${name}”`))
  if (atRisk > 0) {
    const cause = lost.length > 0 ? `: ${names} cannot be used now` : ''
    return `${partOf(atRisk, files)} at risk${cause}.`
  }
  if (lost.length > 0) return `${names} cannot be used now. ${files > 0 ? 'No file is at risk.' : 'No files yet.'}`
  if (files === 0) return 'No files yet.'
  if (storing > 0) return `${partOf(storing, files)} still being stored.`
  const what = files === 1 ? 'The only file is stored' : `All ${count(files)} files are stored`
  return copies === 1 ? `${what}.` : `${what} in ${copies} copies.`
}

/** "1 of 12 files is", "The only file is", "All 12 files are" */
function partOf(part: number, all: number): string {
  if (all === 1) return 'The only file is'
  if (part === all) return `All ${count(all)} files are`
  return `${count(part)} of ${count(all)} files ${part === 1 ? 'is' : 'are'}`
}

function count(files: number): string {
  return files.toLocaleString('en-GB')
}
