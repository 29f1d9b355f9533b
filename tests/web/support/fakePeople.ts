import { fakeViewer } from './fakeGraphql.ts'

/** A key as the server tells its owner of it. */
export function fakeKey(id: string, name: string, more: object = {}) {
  return {
    __typename: 'ApiKey',
    id,
    name,
    key: `sky_live_${id}`,
    status: 'ACTIVE',
    scopes: ['READ', 'WRITE', 'SHARE'],
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    createdAt: new Date().toISOString(),
    usage: [],
    ...more,
  }
}

export function fakeSession(id: string, name: string, more: object = {}) {
  const now = new Date().toISOString()
  const times = { createdAt: now, lastSeenAt: now }
  return { __typename: 'Session', id, name, address: '127.0.0.1', current: false, remember: true, ...times, ...more }
}

type Args = {
  readonly first: number
  readonly after: string | null
  readonly query: string | null
  readonly actions: readonly string[] | null
}
type Entry = { readonly action: string; readonly sentence: string }

/** The log of a person, searched and paged as the server does it: a cursor is the place of the entry. */
export function fakeActivities(entries: readonly Entry[]) {
  const nodes = entries.map((entry, index) => ({
    __typename: 'Activity',
    id: `act_${index}`,
    at: new Date().toISOString(),
    actorKind: 'SESSION',
    actorName: 'Chrome on Linux',
    address: '127.0.0.1',
    ...entry,
  }))
  return ({ first, after, query, actions }: Args) => {
    const found = nodes.filter(
      ({ action, sentence }) => (!actions || actions.includes(action)) && sentence.includes(query ?? ''),
    )
    const from = after === null ? 0 : Number(after) + 1
    const page = found.slice(from, from + first)
    const end = from + page.length
    return {
      edges: page.map((node, index) => ({ cursor: String(from + index), node })),
      pageInfo: { endCursor: String(end - 1), hasNextPage: end < found.length, hasPreviousPage: from > 0 },
    }
  }
}

/** A signed-in person with these keys and sessions and this log. */
export function personWith(more: {
  readonly apiKeys?: readonly object[]
  readonly sessions?: readonly object[]
  readonly activities?: ReturnType<typeof fakeActivities>
}) {
  const current = fakeSession('sess_1', 'Chrome on Linux', { current: true })
  return { ...fakeViewer, apiKeys: [], sessions: [current], activities: fakeActivities([]), ...more }
}
