import { useEffect, useRef, useState } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import { AuthorizationError } from '../../lib/authorizationPopup.ts'
import { MutationRefused } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { authorizeAccount } from './authorizeAccount.ts'
import { type AccountScope, connectAccount } from './connectAccount.ts'
import { connectOnce, reconnectOnce } from './lostAnswer.ts'
import { messages } from './messages.ts'
import { reconnectAccount } from './reconnectAccount.ts'

/** Why the last attempt failed: in the window, or by an answer of the server with its code. */
export type ConnectFailure = {
  readonly in: 'WINDOW' | 'SERVER'
  readonly code: string | null
  readonly message: string
}

/**
 * Connects new accounts. `busy` until the account is connected, the attempt failed or was cancelled; a toast reports
 * each outcome, and `failure` is kept until the next attempt.
 */
export function useConnect() {
  return useFlow(async (environment, signal, input: { provider: string; name: string; scope: AccountScope }) => {
    const grant = await authorizeAccount(environment, { provider: input.provider }, signal)
    const id = await connectOnce(environment, input.provider, () => connectAccount(environment, input, grant))
    toast.success(messages.connected)
    return id
  }, messages.failed)
}

/** Connects an account again, under its id. */
export function useReconnect() {
  return useFlow(async (environment, signal, { provider, id }: { provider: string; id: string }) => {
    // The window first: browsers allow it only inside the click handler.
    const authorized = authorizeAccount(environment, { provider, accountId: id }, signal)
    toast.info(messages.reconnecting)
    const grant = await authorized
    await reconnectOnce(environment, id, () => reconnectAccount(environment, id, grant))
    toast.success(messages.reconnected)
    return id
  }, messages.reconnectFailed)
}

/** @returns the account's id */
type Step<Input> = (environment: IEnvironment, signal: AbortSignal, input: Input) => Promise<string>

function useFlow<Input>(step: Step<Input>, failed: string) {
  const environment = useRelayEnvironment()
  const running = useRef<AbortController | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ConnectFailure | null>(null)
  const cancel = () => running.current?.abort()
  useEffect(() => () => running.current?.abort(), [])

  /** The account's id when it is done, else null. Does nothing while another connection is in progress. */
  const run = async (input: Input): Promise<string | null> => {
    if (running.current) return null
    const controller = new AbortController()
    running.current = controller
    setBusy(true)
    setFailure(null)
    try {
      return await step(environment, controller.signal, input)
    } catch (error) {
      if (!controller.signal.aborted) {
        toast.error(...explain(error, failed))
        setFailure(failureOf(error))
      }
      return null
    } finally {
      running.current = null
      setBusy(false)
    }
  }
  return { run, cancel, busy, failure }
}

function failureOf(error: unknown): ConnectFailure {
  if (error instanceof AuthorizationError) return { in: 'WINDOW', code: null, message: error.message }
  if (error instanceof MutationRefused) return { in: 'SERVER', code: error.code, message: error.message }
  return { in: 'SERVER', code: null, message: messages.unreachable }
}

/** Errors of the window are shown verbatim (spec 8); errors of the server below a title that names the action. */
function explain(error: unknown, failed: string): [title: string, options?: { description: string }] {
  if (error instanceof AuthorizationError) return [error.message]
  if (error instanceof MutationRefused) return [failed, { description: error.message }]
  return [failed, { description: messages.unreachable }]
}
