import type pg from 'pg'
import { clientName } from '../../lib/clientName.ts'
import type { Actor, ActorKind } from '../services/activity.ts'
import type { Viewer } from '../viewer.ts'

/** Who is written down: `id` is the session's or key's. */
export type NamedActor = {
  readonly kind: ActorKind
  readonly id: string | null
  readonly name: string
  readonly address: string
}

export type ActorNames = {
  /** Looks up the sessions and keys that are not known yet, in one statement. What is gone keeps the name that was looked up before. */
  learn(viewers: readonly Viewer[]): Promise<void>
  of(actor: Actor): NamedActor
}

const KNOWN = 1_000

const LOOK_UP = {
  name: 'activity-actors',
  text: `select id, user_agent as name, address, false as is_key from sessions where id = any($1::uuid[])
    union all select id, name, '' as address, true as is_key from api_keys where id = any($2::uuid[])`,
}

type Row = { readonly id: string; readonly name: string; readonly address: string; readonly is_key: boolean }

/** Names of sessions and keys; those that were asked for lately are remembered. */
export function createActorNames(pool: pg.Pool): ActorNames {
  const known = new Map<string, NamedActor>()

  const remember = (actor: NamedActor & { readonly id: string }): void => {
    known.set(actor.id, actor)
    const [oldest] = known.keys()
    if (known.size > KNOWN && oldest !== undefined) known.delete(oldest)
  }

  return {
    async learn(viewers) {
      const unknown = viewers.filter((viewer) => !known.has(idOf(viewer) ?? ''))
      if (unknown.length === 0) return
      const sessions = unknown.flatMap(({ sessionId }) => sessionId ?? [])
      const keys = unknown.flatMap(({ key }) => key?.id ?? [])
      const { rows } = await pool.query<Row>({ ...LOOK_UP, values: [sessions, keys] })
      for (const { id, name, address, is_key } of rows) {
        remember({ kind: is_key ? 'KEY' : 'SESSION', id, name: is_key ? name : clientName(name), address })
      }
    },
    of(actor) {
      if (actor.kind === 'SYSTEM') return { kind: 'SYSTEM', id: null, name: 'Skypool', address: '' }
      if (actor.kind !== 'VIEWER') return visitor(actor)
      const id = idOf(actor.viewer)
      return known.get(id ?? '') ?? unknownActor(actor.viewer, id)
    },
  }
}

function idOf({ key, sessionId }: Viewer): string | null {
  return key?.id ?? sessionId
}

function visitor({ address, userAgent }: { address: string; userAgent: string }): NamedActor {
  const name = userAgent === '' ? 'A visitor' : `A visitor (${clientName(userAgent)})`
  return { kind: 'VISITOR', id: null, name, address }
}

/** It ended before anything was written down of it. */
function unknownActor({ key }: Viewer, id: string | null): NamedActor {
  return key
    ? { kind: 'KEY', id, name: 'An API key', address: '' }
    : { kind: 'SESSION', id, name: 'A browser', address: '' }
}
