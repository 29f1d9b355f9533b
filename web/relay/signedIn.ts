import type { RecordSourceSelectorProxy } from 'relay-runtime'
import { sawViewer, tellOtherTabs } from './session.ts'

/**
 * A store updater for the two mutations that sign a user in: makes their payload's viewer the root's, so that the next
 * screen knows at once who is there. Does nothing when the mutation was refused.
 */
export function takeViewer(store: RecordSourceSelectorProxy, mutation: 'login' | 'register'): void {
  const viewer = store.getRootField(mutation)?.getLinkedRecord('viewer')
  if (viewer) store.getRoot().setLinkedRecord(viewer, 'viewer')
}

/** Call it once, after a user has signed in. */
export function rememberSignIn(userId: string): void {
  sawViewer(true)
  tellOtherTabs({ kind: 'signedIn', userId })
}
