import { forgetEverything } from '../../relay/environment.ts'
import { tellOtherTabs } from '../../relay/session.ts'
import { forgetTransfers } from '../Transfers/resumeStore.ts'

/**
 * Call it once the server has ended the session: removes all data of the user from the browser. Navigate afterwards.
 */
export function leaveSession(): void {
  forgetTransfers()
  forgetEverything()
  tellOtherTabs({ kind: 'signedOut' })
}
