import { UnauthenticatedError } from '../../errors.ts'
import type { Action } from '../../services/activity.ts'
import type { SignedIn, UsersService } from '../../services.ts'
import type { ActivityRecorder } from '../log.ts'
import type { Changes } from './say.ts'

type Reads = 'viewerOf' | 'isLive' | 'me'

/** Signing in and out, written down. */
export function recordUsers(users: UsersService, log: ActivityRecorder): Changes<UsersService, Reads> {
  async function sayStart(signedIn: SignedIn, action: Action): Promise<SignedIn> {
    const viewer = await users.viewerOf(signedIn.token).catch(() => null)
    if (viewer) log.record({ kind: 'VIEWER', viewer }, { action })
    return signedIn
  }

  return {
    register: async (input, client) => sayStart(await users.register(input, client), 'SIGNED_UP'),
    async login(input, client) {
      const signedIn = await users.login(input, client).catch((error: unknown) => {
        // Whether there is such a user is looked up when it is written: the answer must not take longer for one that is.
        if (error instanceof UnauthenticatedError) {
          const { address, userAgent } = client
          log.record({ kind: 'CLAIMED', email: input.email, address, userAgent }, { action: 'SIGN_IN_REFUSED' })
        }
        throw error
      })
      return sayStart(signedIn, 'SIGNED_IN')
    },
    async logout(viewer) {
      await log.learn([viewer])
      await users.logout(viewer)
      log.record({ kind: 'VIEWER', viewer }, { action: 'SIGNED_OUT' })
    },
  }
}
