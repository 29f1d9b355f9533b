import { openSession } from '../../../../server/domain/files/content/removals.ts'
import { sha256 } from '../scenery.ts'
import type { World } from '../world.ts'

/** Foreign objects are what they were (I4). */
export function judgeForeign({ foreign, violations }: World): void {
  for (const { account, ref, name, sha256: before } of foreign) {
    const object = account.cloud.accounts.get(account.subject)?.objects.get(ref)
    if (!object) violations.push(`I4: ${name} of ${account.subject} was deleted`)
    else if (object.name !== name || sha256(object.bytes) !== before) {
      violations.push(`I4: ${name} of ${account.subject} was changed`)
    }
  }
}

type Piece = { readonly accountId: string; readonly ref: string; readonly missing: boolean; readonly name: string }

const PIECES = `select p.account_id as "accountId", p.object_ref as ref, c.state = 'MISSING' as missing, f.name
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.state = 'STORED' and f.user_id = $1`

/** Rows and objects are the same, at every service and on this server's disk (I3). */
export async function judgeObjects(world: World): Promise<void> {
  const { rows } = await world.control.query<Piece>(PIECES, [world.viewer.userId])
  for (const account of world.accounts) judgeAccount(world, account, rows)
  await judgeDisk(world, rows)
}

function judgeAccount(world: World, { id, subject, cloud }: World['accounts'][number], pieces: readonly Piece[]): void {
  const { violations, foreign, tampered, disconnected } = world
  const objects = cloud.objects(subject).filter(({ kind }) => kind === 'file')
  const there = new Set<string>(objects.map(({ ref }) => ref))
  const ours = pieces.filter(({ accountId }) => accountId === id)
  for (const { ref, missing, name } of ours) {
    if (there.has(ref) || missing || tampered.has(`${subject} ${ref}`)) continue
    violations.push(`I3: an object of ${name} is not at ${subject}`)
  }
  // What was to be removed is forgotten with the connection.
  if (disconnected.has(subject)) return
  const known = new Set<string>([
    ...ours.map(({ ref }) => ref),
    ...foreign.map(({ ref, account }) => own(account, ref)),
  ])
  for (const { ref, name } of objects) {
    if (!known.has(ref) && !tampered.has(`${subject} ${ref}`))
      violations.push(`I3: ${subject} has ${name} (${ref}), which nothing refers to`)
  }

  function own(account: World['accounts'][number], ref: string): string {
    return account.subject === subject ? ref : ''
  }
}

const STAGED = `select staged_ref as ref from files where user_id = $1 and staged_ref is not null`
const UPLOADS = `select id as ref from uploads where user_id = $1 and file_id is null`
/** What is being written here, or waits until there is a copy to read from again. */
const SESSIONS = `select id, session from pieces where account_id = $1 and state = 'PLANNED' and session is not null`

async function judgeDisk(world: World, pieces: readonly Piece[]) {
  const { control, viewer, localId, store, encryption, violations } = world
  const refs = async (text: string) => (await control.query<{ ref: string }>(text, [viewer.userId])).rows
  const needed = new Set(
    [...pieces.filter(({ accountId }) => accountId === localId), ...(await refs(STAGED))].map(({ ref }) => ref),
  )
  const begun = new Set((await refs(UPLOADS)).map(({ ref }) => ref))
  const sessions = await control.query<{ id: string; session: string }>(SESSIONS, [localId])
  for (const piece of sessions.rows) begun.add(openSession(encryption, piece)?.session ?? '')
  const there = new Set(await store.listStaged())
  for await (const ref of store.listStored()) there.add(ref)
  for (const ref of needed) if (!there.has(ref)) violations.push(`I1: the object ${ref} of this server is gone`)
  for (const ref of there) {
    if (!needed.has(ref) && !begun.has(ref)) violations.push(`I3: nothing refers to the object ${ref} of this server`)
  }
}
