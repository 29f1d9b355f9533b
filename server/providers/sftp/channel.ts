import type { SFTPWrapper } from 'ssh2'
import { failed, hasStatus, STATUS } from './errors.ts'

/** Starts one request, whose answer is passed to `done`. */
export type Request<Value> = (sftp: SFTPWrapper, done: (error: Error | null | undefined, value?: Value) => void) => void

/** An open connection to a server. Requests are carried out side by side. */
export type Channel = {
  /** Rejects with the error of ssh2, or with ProviderError Transient when the connection is lost or the server stops answering. */
  ask<Value>(request: Request<Value>): Promise<Value>
  isOpen(): boolean
  /** Open requests reject. Idempotent. */
  close(): void
}

/** A server that answers none of its open requests for this long is lost. */
const SILENCE_MS = 60_000

/** `end`: closes the connection; it is called once. */
export function createChannel(sftp: SFTPWrapper, end: () => void, silenceMs = SILENCE_MS): Channel {
  const open = new Set<(error: Error) => void>()
  let isOpen = true
  let silence: NodeJS.Timeout | null = null

  function close(): void {
    if (!isOpen) return
    isOpen = false
    if (silence) clearTimeout(silence)
    const lost = failed('connection', 'Transient', 'The connection was lost.')
    for (const reject of open) reject(lost)
    open.clear()
    end()
  }

  /** Counts from the last answer. */
  function watch(): void {
    if (open.size > 0 && isOpen && silence) {
      silence.refresh()
      return
    }
    if (silence) clearTimeout(silence)
    silence = open.size > 0 && isOpen ? setTimeout(close, silenceMs) : null
  }

  sftp.on('error', close)
  sftp.on('close', close)
  sftp.on('end', close)

  return {
    isOpen: () => isOpen,
    close,
    ask<Value>(request: Request<Value>) {
      return new Promise<Value>((resolve, reject) => {
        if (!isOpen) return reject(failed('connection', 'Transient', 'The connection was lost.'))
        const finish = (error: unknown, value?: Value): void => {
          open.delete(reject)
          watch()
          if (error) reject(error)
          else resolve(value as Value)
        }
        open.add(reject)
        if (open.size === 1) watch()
        try {
          request(sftp, finish)
        } catch (error) {
          // ssh2 throws where the server does not offer an extension.
          finish(Object.assign(new Error('Not offered.', { cause: error }), { code: STATUS.UNSUPPORTED }))
        }
      })
    },
  }
}

/** For `catch`: resolves with null where the server does not offer an extension, and rethrows other errors. */
export function nothingWhenUnsupported(error: unknown): null {
  if (hasStatus(error, STATUS.UNSUPPORTED)) return null
  throw error
}
