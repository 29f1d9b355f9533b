import { abortable } from '../../lib/cancellation.ts'
import type { Call } from '../driver.ts'
import type { HostGuard } from '../shared/hostGuard.ts'
import type { Channel } from './channel.ts'
import { connect } from './connect.ts'
import { failed, HostKeyError } from './errors.ts'
import type { Login } from './login.ts'

/** A connection in use, until `release`, which is idempotent. */
export type Lease = { readonly channel: Channel; release(): void }

/** The connections of all accounts: one per login, opened when it is needed and closed some time after its last use. */
export type Pool = {
  /** Waits for a connection until the call is aborted. @throws as `connect`; AuthExpired where the host key has changed */
  lease(call: Call, login: Login): Promise<Lease>
}

const IDLE_MS = 60_000

type Connection = { readonly opening: Promise<Channel>; users: number; idle: NodeJS.Timeout | null }

export function createPool(guard: Pick<HostGuard, 'resolve'>, idleMs = IDLE_MS): Pool {
  const connections = new Map<string, Connection>()

  function open(key: string, login: Login): Connection {
    // Opening counts as a use: whoever wanted the connection can be gone when it is there.
    const connection: Connection = { opening: connect(guard, login), users: 1, idle: null }
    connections.set(key, connection)
    connection.opening.then(
      (channel) => release(key, connection, channel),
      () => forget(key, connection),
    )
    return connection
  }

  function forget(key: string, connection: Connection): void {
    if (connections.get(key) === connection) connections.delete(key)
  }

  /** A connection that was lost is replaced. */
  async function current(key: string, login: Login): Promise<{ connection: Connection; channel: Channel }> {
    const connection = connections.get(key) ?? open(key, login)
    const channel = await connection.opening
    if (channel.isOpen()) return { connection, channel }
    forget(key, connection)
    return current(key, login)
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
    async lease(call, login) {
      const key = JSON.stringify(login)
      const { connection, channel } = await abortable(call.signal, current(key, login)).catch((error: unknown) => {
        throw error instanceof HostKeyError ? changedKey(error) : error
      })
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
