import type { Call, ChangePage } from '../driver.ts'
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
  const page = await client.ask(call, 'changes', (api, options) =>
    api.changes.list({ pageToken: cursor, fields, pageSize: limits.pageSize, restrictToMyDrive: true }, options),
  )
  const next = page.nextPageToken ?? page.newStartPageToken ?? cursor
  return { changes: (page.changes ?? []).flatMap(changeOf), cursor: next, hasMore: Boolean(page.nextPageToken) }
}
