import { DomainError } from '../../../../server/domain/errors.ts'
import type { PlacementRule } from '../../../../server/domain/groupClouds/contract.ts'
import { type Candidate, planCopies } from '../../../../server/domain/groupClouds/placement.ts'
import { usedBytes } from '../../../fakes/memory/account.ts'
import type { ModelFile } from '../model.ts'
import { readRange } from '../operations/contents.ts'
import { countJobs } from '../queue.ts'
import { textOf, type World } from '../world.ts'
import { judgeForeign, judgeObjects } from './objects.ts'
import { judgeStep } from './step.ts'

/** What must hold once everything is well again and had time: every file that there is a whole copy of is stored as it should be. */
export async function judgeEnd(world: World): Promise<void> {
  await judgeStep(world)
  judgeForeign(world)
  await judgeObjects(world)
  for (const file of world.model.kept()) await judgeStored(world, file)
  await judgeQueues(world)
  await judgeQuotas(world)
}

/** @returns why it cannot be read; null when all its bytes came */
export async function readWhole(world: World, file: ModelFile): Promise<string | null> {
  try {
    await readRange(world, file, 0, file.size - 1)
    return null
  } catch (error) {
    if (!(error instanceof DomainError)) world.violations.push(`I1: ${file.name} fails with ${textOf(error)}`)
    return error instanceof Error ? error.message : String(error)
  }
}

type Facts = {
  readonly state: string
  readonly reason: string | null
  readonly staged: boolean
  readonly copies: readonly {
    readonly state: string
    readonly pieces: readonly { readonly account: string; readonly accountId: string; readonly ref: string | null }[]
  }[]
  readonly rules: { readonly placement: PlacementRule; readonly copies: number; readonly spanning: boolean } | null
  readonly members: readonly Candidate[]
}

const FACTS = `select f.state, f.state_reason as reason, f.staged_ref is not null as staged,
    coalesce((select json_agg(json_build_object('state', c.state, 'pieces', (
        select json_agg(json_build_object('account', a.provider_account_id, 'accountId', a.id, 'ref', p.object_ref))
        from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id)))
      from copies c where c.file_id = f.id), '[]') as copies,
    (select json_build_object('placement', g.placement, 'copies', g.copies, 'spanning', g.spanning)
      from group_clouds g where g.id = f.group_cloud_id) as rules,
    coalesce((select json_agg(json_build_object('accountId', a.id, 'name', a.name, 'position', m.position, 'status', a.status,
        'unreachable', a.unreachable_since is not null, 'draining', m.draining, 'quotaState', a.quota_state,
        'quotaBytes', a.quota_bytes, 'usedBytes', a.used_bytes, 'reservedBytes', a.reserved_bytes,
        'keepFreeBytes', m.keep_free_bytes))
      from group_cloud_members m join accounts a on a.id = m.account_id where m.group_cloud_id = f.group_cloud_id), '[]') as members
  from files f where f.id = $1`

async function judgeStored(world: World, file: ModelFile): Promise<void> {
  const { violations, control } = world
  const { rows } = await control.query<Facts>(FACTS, [file.id])
  const [facts] = rows
  if (!facts?.rules) return
  const unread = await readWhole(world, file)
  const whole = facts.copies.filter(({ state }) => state === 'STORED')
  if (unread !== null) {
    if (facts.staged || whole.length > 0)
      violations.push(`I1: ${file.name} has a whole copy and cannot be read: ${unread}`)
    else if (!facts.copies.some((copy) => wasDamaged(world, copy)))
      violations.push(`I1: ${file.name} is lost: ${unread}`)
    return
  }
  if (facts.state === 'STORED' && whole.length >= facts.rules.copies) return
  if (facts.state === 'STORED') violations.push(`I10: ${file.name} is called stored with ${whole.length} copies`)
  const room = roomLeft(world, file, facts, facts.rules)
  if (room) violations.push(`L1: ${file.name} is ${facts.state} (${facts.reason}) although there is room: ${room}`)
}

/** Objects of it were changed from outside, or sent wrong often enough to be taken for damaged. */
function wasDamaged({ tampered, faults }: World, { pieces }: Facts['copies'][number]): boolean {
  return pieces.some(({ account, ref }) => {
    const object = `${account} ${ref}`
    return tampered.has(object) || (faults.wrongReads.get(object) ?? 0) >= 2
  })
}

/** Where missing copies could be stored; null when nowhere, or when that is unknown. */
function roomLeft(world: World, { size }: ModelFile, { copies, members }: Facts, rules: NonNullable<Facts['rules']>) {
  const stored = copies.filter(({ state }) => state === 'STORED')
  const home = new Set(members.filter(({ draining }) => !draining).map(({ accountId }) => accountId))
  const good = stored.filter(({ pieces }) => pieces.every(({ accountId }) => home.has(accountId)))
  const exclude = new Set(good.flatMap(({ pieces }) => pieces.map(({ accountId }) => accountId)))
  const missing = rules.copies - good.length
  if (missing <= 0) return 'all its copies are where they should be'
  const isLimited = world.accounts.some(({ id, cloud }) => {
    const { maxObjectBytes } = cloud.service.capabilities
    return id !== null && home.has(id) && maxObjectBytes !== null && size > maxObjectBytes
  })
  if (isLimited) return null
  // A service that is full takes no empty file either.
  const plan = planCopies(members, Math.max(1, size), { ...rules, copies: missing, exclude })
  return plan.placed ? plan.copies.map(({ why }) => why).join(' / ') : null
}

async function judgeQueues({ control, violations }: World): Promise<void> {
  const left = await countJobs(control)
  if (left > 0) {
    const { rows } = await control.query<{ text: string }>(
      `select name || ' ' || input || ' at ' || run_at as text from sim.jobs limit 3`,
    )
    violations.push(`I7: ${left} jobs never end: ${rows.map(({ text }) => text).join(', ')}`)
  }
  const { rows } = await control.query<{ count: number }>('select count(*)::int as count from object_removals')
  if (rows[0]?.count) violations.push(`I3: ${rows[0].count} removals never end`)
  const open = await control.query<{ text: string }>(
    `select f.name || ' ' || t.state || ': ' || coalesce(t.error, '') as text from transfers t join files f on f.id = t.file_id
     where t.state in ('WAITING', 'RUNNING')`,
  )
  for (const { text } of open.rows) violations.push(`I7: a transfer never ends: ${text}`)
}

/** What is known of accounts is what their services say (I6). */
async function judgeQuotas({ control, accounts, violations }: World): Promise<void> {
  for (const { id, subject, cloud } of accounts) {
    const account = cloud.accounts.get(subject)
    const { rows } = await control.query<{ used: number }>(
      `select used_bytes::float8 as used from accounts where id = $1 and quota_state <> 'UNKNOWN' and disconnected_at is null`,
      [id],
    )
    const used = rows[0]?.used
    if (account && used !== undefined && used !== usedBytes(account)) {
      violations.push(`I6: ${subject} uses ${usedBytes(account)} bytes, not ${used}`)
    }
  }
}
