type Listener = () => void

let onLost: Listener = () => undefined

/** Set once by the app: called when the session has ended. */
export function handleSessionLost(listener: Listener): void {
  onLost = listener
}

/** Called by the network layer. */
export function loseSession(): void {
  onLost()
}

let signedIn = false

/** Records whether a response had a viewer. False when it had none although a user was signed in. */
export function sawViewer(present: boolean): boolean {
  const lost = signedIn && !present
  signedIn = present
  return !lost
}

export function forgetSession(): void {
  signedIn = false
}

type SessionNews = { kind: 'signedOut' } | { kind: 'signedIn'; userId: string }

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('skypool-session') : null

/** Tells this browser's other tabs, which share the cookie, who is signed in now. */
export function tellOtherTabs(news: SessionNews): void {
  channel?.postMessage(news)
}

/** Listens to the other tabs. Returns a function that unsubscribes. */
export function hearOtherTabs(listener: (news: SessionNews) => void): () => void {
  const hear = (event: MessageEvent<SessionNews>) => listener(event.data)
  channel?.addEventListener('message', hear)
  return () => channel?.removeEventListener('message', hear)
}
