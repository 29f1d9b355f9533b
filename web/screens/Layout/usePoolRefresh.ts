import { useEffect, useEffectEvent } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { onServerChange } from '../../relay/changes.ts'

/** A thousand uploads are a thousand events: one refresh in this time is enough. */
const EVERY_MS = 2000

/** Reads the quotas of these accounts again soon after a change. */
export function usePoolRefresh(accountIds: readonly string[]): void {
  const environment = useRelayEnvironment()
  const refresh = useEffectEvent(async () => {
    const { fetchQuotas } = await import('./fetchQuotas.ts')
    fetchQuotas(environment, accountIds)
  })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      timer = undefined
      refresh().catch(() => undefined)
    }
    const stop = onServerChange(() => {
      timer ??= setTimeout(look, EVERY_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])
}
