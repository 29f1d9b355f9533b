import { forgetEverything } from '../../relay/environment.ts'
import { tellOtherTabs } from '../../relay/session.ts'
import { forgetTransfers } from '../Transfers/resumeStore.ts'

/** Call it once the server has ended the session: nothing of this person stays in the browser. Navigate afterwards. */
export function leaveSession(): void {
  forgetTransfers()
  forgetEverything()
  tellOtherTabs({ kind: 'signedOut' })
}
