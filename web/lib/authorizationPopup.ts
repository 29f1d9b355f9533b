import { AUTHORIZATION_CHANNEL, type AuthorizationMessage, isAuthorizationMessage } from './authorizationMessage.ts'

const WIDTH = 600
const HEIGHT = 400
const POLL_MS = 500
/** How long to wait for a code after its window has closed. */
const LAST_WORD_MS = 1000
/**
 * A window that looks closed this soon after it left our page was not closed: the provider's page has cut it off from
 * us.
 */
const CUT_OFF_MS = 400
/** A popup that was cut off always looks closed, so it is given up only after this window was in front for so long. */
const SILENT_MS = 2 * 60_000

/** Messages of AuthorizationError. */
export const BLOCKED = 'Popup blocked'
export const CLOSED = 'Popup closed without authorization'
export const DENIED = 'Access was denied'
const SILENT = 'No answer came from the other window. Please try again.'

/** Why an authorization failed. `message` is shown to users. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError'
}

export type AuthorizationPopup = {
  /**
   * Sends the window to the provider and waits for its answer to this very state. @throws AuthorizationError, or the
   * signal's reason
   */
  authorize(url: string, state: string, signal: AbortSignal): Promise<string>
  close(): void
}

/**
 * Opens the window of an authorization, empty: browsers allow it only at the click itself, before its address is known.
 * 600 x 400, centred on this window. @throws AuthorizationError 'Popup blocked'
 */
export function openAuthorizationPopup(): AuthorizationPopup {
  const left = Math.round(window.screenX + (window.outerWidth - WIDTH) / 2)
  const top = Math.round(window.screenY + (window.outerHeight - HEIGHT) / 2)
  const popup = window.open('', '', `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`)
  if (!popup || popup.closed) throw new AuthorizationError(BLOCKED)
  return {
    authorize: (url, state, signal) => authorize(popup, url, state, signal),
    close: () => popup.close(),
  }
}

async function authorize(popup: Window, url: string, state: string, signal: AbortSignal): Promise<string> {
  const ended = new AbortController()
  const over = AbortSignal.any([signal, ended.signal])
  try {
    const answer = answerTo(state, over)
    const cutOff = cutOffOnLeaving(popup)
    popup.location.href = url
    const message = await Promise.race([answer, closing(popup, cutOff, over)])
    if (message.code) return message.code
    throw new AuthorizationError(refusal(message.error))
  } finally {
    ended.abort()
    popup.close()
  }
}

/** The message of our callback page, through either of its two channels. Everything else is ignored. */
function answerTo(state: string, signal: AbortSignal): Promise<AuthorizationMessage> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(AUTHORIZATION_CHANNEL)
    const hear = ({ data }: MessageEvent<unknown>) => {
      if (isAuthorizationMessage(data) && data.state === state) resolve(data)
    }
    const hearOwn = (event: MessageEvent<unknown>) => event.origin === window.location.origin && hear(event)
    window.addEventListener('message', hearOwn, { signal })
    // A channel reaches pages of one origin only.
    channel.addEventListener('message', hear, { signal })
    signal.addEventListener('abort', () => {
      channel.close()
      reject(signal.reason)
    })
  })
}

type CutOff = { current: 'no' | 'undecided' | 'yes' }

/**
 * Whether the provider's first page has severed its window from this one, detected just after the window has left our
 * page.
 */
function cutOffOnLeaving(popup: Window): CutOff {
  const cutOff: CutOff = { current: 'no' }
  popup.addEventListener('pagehide', () => {
    cutOff.current = 'undecided'
    setTimeout(() => {
      cutOff.current = popup.closed ? 'yes' : 'no'
    }, CUT_OFF_MS)
  })
  return cutOff
}

/**
 * Rejects once the window was closed by its user. One that the provider has cut off looks closed too: it may still
 * be in use while this window is not in front, and for some time after that.
 */
function closing(popup: Window, cutOff: CutOff, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    let silent = 0
    const poll = setInterval(() => {
      if (!popup.closed || !document.hasFocus() || cutOff.current === 'undecided') {
        silent = 0
        return
      }
      silent += POLL_MS
      if (cutOff.current === 'yes' && silent < SILENT_MS) return
      clearInterval(poll)
      const reason = cutOff.current === 'yes' ? SILENT : CLOSED
      setTimeout(() => reject(new AuthorizationError(reason)), LAST_WORD_MS)
    }, POLL_MS)
    signal.addEventListener('abort', () => clearInterval(poll))
  })
}

function refusal(error: string | null): string {
  if (error === 'access_denied') return DENIED
  return `The provider refused: ${(error ?? 'no reason given').replaceAll('_', ' ')}`
}
