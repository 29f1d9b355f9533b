import type { Call, ChangePage } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { isFailure } from '../shared/failures.ts'
import type { PutContext } from './putJob.ts'
import { changeOf, FILE_FIELDS } from './wire.ts'

/** Of all that the account sees, as Drive has no changes of one folder. */
export async function changes({ client, limits }: PutContext, call: Call, cursor: string | null): Promise<ChangePage> {
  if (cursor === null) {
    const { startPageToken } = await client.ask(call, 'changes', (api, options) =>
      api.changes.getStartPageToken({}, options),
    )
    return { changes: [], cursor: startPageToken ?? '', hasMore: false }
  }
  const fields = `nextPageToken,newStartPageToken,changes(fileId,removed,file(${FILE_FIELDS}))`
  const page = await client
    .ask(call, 'changes', (api, options) =>
      api.changes.list({ pageToken: cursor, fields, pageSize: limits.pageSize, restrictToMyDrive: true }, options),
    )
    .catch((error: unknown) => {
      throw cursorError(error)
    })
  const next = page.nextPageToken ?? page.newStartPageToken ?? cursor
  return { changes: (page.changes ?? []).flatMap(changeOf), cursor: next, hasMore: Boolean(page.nextPageToken) }
}

/** A token that is too old, or of another user, is answered as anything else that is not there. */
function cursorError(error: unknown): unknown {
  return isFailure(error, 'NotFound') ? new ProviderError('CursorReset', error.where, error.detail) : error
}
