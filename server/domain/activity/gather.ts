import type { Action, ActivityEntry, Actor } from '../services/activity.ts'
import type { Recorded } from './insert.ts'

/** Done file by file, but thought of as one thing: "24 files were uploaded". */
const GATHERED: ReadonlySet<Action> = new Set<Action>(['FILE_UPLOADED'])
const MOST_NAMES = 100

/** Makes one entry of all uploads by the same actor into the same folder; the others stay as they are, in their order. */
export function gather(entries: readonly Recorded[]): Recorded[] {
  const groups = new Map<string, Recorded[]>()
  for (const [index, recorded] of entries.entries()) {
    const { actor, entry } = recorded
    const key = GATHERED.has(entry.action) ? keyOf(actor, entry) : String(index)
    const group = groups.get(key)
    if (group) group.push(recorded)
    else groups.set(key, [recorded])
  }
  return [...groups.values()].flatMap(join)
}

function keyOf(actor: Actor, { action, intoFolderId = null }: ActivityEntry): string {
  const who = actor.kind === 'VIEWER' ? (actor.viewer.key?.id ?? actor.viewer.sessionId) : JSON.stringify(actor)
  return `${action} ${who} ${intoFolderId}`
}

/** One entry of a whole group, made at once: adding one by one would copy the ids of all before it each time. */
function join(group: readonly Recorded[]): Recorded | [] {
  const [first, ...more] = group
  const last = group.at(-1)
  if (!first || !last) return []
  if (more.length === 0) return first
  const names = more.flatMap(({ entry }) => entry.subject?.name ?? [])
  return {
    ...first,
    at: last.at,
    entry: { ...first.entry, count: group.reduce((sum, { entry }) => sum + (entry.count ?? 1), 0) },
    fileIds: group.flatMap(({ fileIds }) => fileIds),
    names: [...first.names, ...names.slice(0, Math.max(0, MOST_NAMES - first.names.length))],
  }
}
