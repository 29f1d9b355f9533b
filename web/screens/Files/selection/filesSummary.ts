import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { filesSummaryQuery } from '../../../__generated__/filesSummaryQuery.graphql.ts'
import { selectionOf } from '../list/filesPage.ts'
import type { ListKey } from '../urlState.ts'

/** The totals of a list, and when they were computed. */
export type ListSummary = { readonly count: number; readonly bytes: number; readonly asOf: string }

/** @throws Error when the server cannot be reached or refuses */
export async function fetchSummary(environment: IEnvironment, key: ListKey): Promise<ListSummary> {
  const data = await fetchQuery<filesSummaryQuery>(
    environment,
    graphql`
      query filesSummaryQuery($selection: FileSelection!) {
        viewer {
          filesSummary(selection: $selection) {
            count
            bytes
            asOf
          }
        }
      }
    `,
    { selection: selectionOf(key) },
    { networkCacheConfig: { force: true } },
  ).toPromise()
  const summary = data?.viewer?.filesSummary
  if (!summary) throw new Error('You are signed out. Sign in again to see your files.')
  return { count: summary.count, bytes: summary.bytes, asOf: String(summary.asOf) }
}
