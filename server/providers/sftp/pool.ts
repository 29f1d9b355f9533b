import { abortable } from '../../lib/concurrency.ts'
import type { Call } from '../driver.ts'
import type { HostGuard } from '../shared/hostGuard.ts'
import type { Channel } from './channel.ts'
import { connect } from './connect.ts'
import { failed, HostKeyError } from './errors.ts'
import type { Login } from './login.ts'

/** A connection in use, until `release`, which is idempotent. */
export type Lease = { readonly channel: Channel; release(): void }

/**
 * The connections of all accounts: one per login, opened when it is needed and closed some time after its last use. More for uploads
 * at the same time: a server carries out the requests of a connection one after the other, and those of an upload wait for its disk.
 */
export type Pool = {
  /**
   * Waits for a connection until the call is aborted. `isUpload`: while others use it, another connection is opened for later ones.
   * @throws as `connect`; AuthExpired where the host key has changed
   */
  lease(call: Call, login: Login, isUpload?: boolean): Promise<Lease>
}

const IDLE_MS = 60_000
/** Connections of one login. Servers limit them too: after a refusal those that are open are enough. */
const MOST = 4

/** `channel`: null until it is open. */
type Connection = {
  readonly opening: Promise<Channel>
  channel: Channel | null
  users: number
  idle: NodeJS.Timeout | null
}

export function createPool(guard: Pick<HostGuard, 'resolve'>, idleMs = IDLE_MS): Pool {
  const connections = new Map<string, Connection[]>()
  const refused = new Set<string>()

  function open(key: string, login: Login): Connection {
    // Opening counts as a use: whoever wanted the connection can be gone when it is there.
    const connection: Connection = { opening: connect(guard, login), channel: null, users: 1, idle: null }
    connections.set(key, [...(connections.get(key) ?? []), connection])
    connection.opening.then(
      (channel) => {
        connection.channel = channel
        release(key, connection, channel)
      },
      () => forget(key, connection),
    )
    return connection
  }

  function forget(key: string, connection: Connection): void {
    const rest = (connections.get(key) ?? []).filter((each) => each !== connection)
    if (rest.length > 0) connections.set(key, rest)
    else {
      connections.delete(key)
      refused.delete(key)
    }
  }

  /** The one with the fewest users of those that are open; the first one of those that are not yet. */
  function leastUsed(key: string): Connection | undefined {
    const known = connections.get(key) ?? []
    const usable = known.filter(({ channel }) => channel?.isOpen())
    return usable.toSorted((one, other) => one.users - other.users)[0] ?? known[0]
  }

  /** A connection that was lost is replaced. */
  async function current(key: string, login: Login): Promise<{ connection: Connection; channel: Channel }> {
    const connection = leastUsed(key) ?? open(key, login)
    const channel = await connection.opening
    if (channel.isOpen()) return { connection, channel }
    forget(key, connection)
    return current(key, login)
  }

  /** Nothing waits for it: where the server refuses, uploads share what there is. */
  function openAnother(key: string, login: Login): void {
    const known = connections.get(key) ?? []
    const isOpening = known.some(({ channel }) => channel === null)
    if (isOpening || refused.has(key) || known.length >= MOST) return
    open(key, login).opening.catch(() => connections.has(key) && refused.add(key))
  }

  function release(key: string, connection: Connection, channel: Channel): void {
    connection.users -= 1
    if (connection.users > 0) return
    connection.idle = setTimeout(() => {
      forget(key, connection)
      channel.close()
    }, idleMs).unref()
  }

  return {
    async lease(call, login, isUpload = false) {
      const key = JSON.stringify(login)
      const { connection, channel } = await abortable(call.signal, current(key, login)).catch((error: unknown) => {
        throw error instanceof HostKeyError ? changedKey(error) : error
      })
      if (isUpload && connection.users > 0) openAnother(key, login)
      connection.users += 1
      if (connection.idle) clearTimeout(connection.idle)
      let isReleased = false
      return {
        channel,
        release() {
          if (!isReleased) release(key, connection, channel)
          isReleased = true
        },
      }
    },
  }
}

/** Ends the account's access until the user connects it again with the new fingerprint. */
function changedKey({ seen, confirmed }: HostKeyError) {
  const message = `The server identifies itself with another host key than before: ${seen} instead of ${confirmed}. The connection may be intercepted, so nothing was sent. If its administrator has changed the key, connect the account again with the new fingerprint.`
  return failed('connection', 'AuthExpired', message)
}
