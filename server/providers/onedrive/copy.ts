import { setTimeout as sleep } from 'node:timers/promises'
import type { Call, CopyProgress, Entry, EntryRef, NewEntry } from '../driver.ts'
import { isFailure, ProviderError } from '../errors.ts'
import {
  API,
  errorOf,
  type GraphClient,
  itemUrl,
  KIND,
  type OneDriveContext,
  type OneDriveLimits,
  referenceTo,
} from './client.ts'
import { entryOf } from './entry.ts'
import { graphError, graphFailure } from './errors.ts'
import { itemNamed, itemOf } from './files.ts'
import { checkEntry } from './put.ts'
import { sessionText } from './upload.ts'

const WHERE = { provider: KIND, operation: 'copy' }
const LONGEST_PAUSE_MS = 5_000

/** Driver.copy. OneDrive copies in the background. Identified by its name and its bytes, like an upload in one request. */
export async function copy(
  context: OneDriveContext,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { hash, save }: CopyProgress,
): Promise<Entry> {
  checkEntry(entry)
  const { client, limits } = context
  const { parent, name, size } = entry
  const saveNamed = (named: boolean) => save(sessionText({ uploadUrl: null, parent, name, size, named, hash }))
  const parentReference = await referenceTo(context, call, parent)
  await saveNamed(true)
  try {
    const accepted = await client.tell(call, 'copy', {
      method: 'POST',
      url: `${itemUrl(ref)}/copy`,
      body: { name, parentReference },
    })
    const monitor = accepted.header('location')
    const id = monitor === null ? null : await finished(client, call, new URL(monitor, API).href, limits)
    const item =
      id === null ? await itemNamed(client, call, 'copy', parent, name) : await itemOf(client, call, 'copy', id)
    if (item) return entryOf(item)
  } catch (error) {
    // The name belongs to another file, whatever its bytes.
    if (isFailure(error, 'Conflict')) await saveNamed(false)
    throw error
  }
  throw new ProviderError('NotFound', WHERE, { message: 'The copy is not there.' })
}

/** The states of learn.microsoft.com/graph/long-running-actions-overview. */
type Monitor = { readonly status?: string; readonly resourceId?: string; readonly error?: object }

const FAILED: ReadonlySet<string | undefined> = new Set(['failed', 'deleteFailed', 'cancelled'])

/**
 * Waits until the copy is complete.
 * @returns its id, where that is reported
 * @throws Conflict, QuotaExceeded, Transient (it takes too long: a later put finds the copy)
 */
async function finished(client: GraphClient, call: Call, url: string, limits: OneDriveLimits): Promise<string | null> {
  let pause = limits.pollMs
  for (let waited = 0; waited < limits.copyMs; waited += pause) {
    const response = await client.send(call, 'copy', { method: 'GET', url, authorized: false, keepRedirects: true })
    // Older services redirect to the copy.
    if (response.status === 303) {
      response.dispose()
      return null
    }
    if (response.status >= 400) throw monitorError(await errorOf(response, 'copy'))
    const { status, resourceId, error } = (await response.json()) as Monitor
    if (status === 'completed') return resourceId ?? null
    if (FAILED.has(status)) throw graphError(graphFailure(200, { error }), WHERE)
    await sleep(pause, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted())
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
  }
  throw new ProviderError('Transient', WHERE, { message: 'The copy is not complete yet.' })
}

/** The monitor has no token and no files: what it answers says nothing about the account or the original. */
function monitorError(error: ProviderError): ProviderError {
  if (error.code !== 'AuthExpired' && error.code !== 'NotFound') return error
  return new ProviderError('Transient', error.where, error.detail)
}
