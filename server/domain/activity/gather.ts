import type { Action, ActivityEntry, Actor } from '../services/activity.ts'
import type { Recorded } from './insert.ts'

/** Done file by file, but thought of as one thing: "24 files were uploaded". */
const GATHERED: ReadonlySet<Action> = new Set<Action>(['FILE_UPLOADED'])
const MOST_NAMES = 100

/** Makes one entry of all uploads by the same actor into the same folder; the others stay as they are, in their order. */
export function gather(entries: readonly Recorded[]): Recorded[] {
  const gathered = new Map<string, Recorded>()
  const all: (string | Recorded)[] = []
  for (const recorded of entries) {
    if (!GATHERED.has(recorded.entry.action)) {
      all.push(recorded)
      continue
    }
    const key = keyOf(recorded.actor, recorded.entry)
    const first = gathered.get(key)
    if (!first) all.push(key)
    gathered.set(key, first ? join(first, recorded) : recorded)
  }
  return all.flatMap((item) => (typeof item === 'string' ? (gathered.get(item) ?? []) : item))
}

function keyOf(actor: Actor, { action, intoFolderId = null }: ActivityEntry): string {
  const who = actor.kind === 'VIEWER' ? (actor.viewer.key?.id ?? actor.viewer.sessionId) : JSON.stringify(actor)
  return `${action} ${who} ${intoFolderId}`
}

function join(first: Recorded, next: Recorded): Recorded {
  const name = next.entry.subject?.name
  const names = name !== undefined && first.names.length < MOST_NAMES ? [...first.names, name] : first.names
  return {
    ...first,
    at: next.at,
    entry: { ...first.entry, count: (first.entry.count ?? 1) + (next.entry.count ?? 1) },
    fileIds: [...first.fileIds, ...next.fileIds],
    names,
  }
}
