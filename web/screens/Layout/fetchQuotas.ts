import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { fetchQuotasQuery } from '../../__generated__/fetchQuotasQuery.graphql.ts'

const query = graphql`
  query fetchQuotasQuery($accountIds: [ID!]!) {
    viewer {
      quota {
        usedBytes
        totalBytes
        freeBytes
      }
    }
    nodes(ids: $accountIds) {
      ... on Account {
        id
        status
        quota {
          usedBytes
          reservedBytes
          totalBytes
        }
      }
    }
  }
`

/**
 * Reads the quotas of accounts that the page knows into the store. It does not read the lists of accounts and group clouds: one that is
 * new would be in the store without what its screen shows of it. A failure is ignored: the next refresh repairs it.
 */
export function fetchQuotas(environment: IEnvironment, accountIds: readonly string[]): void {
  fetchQuery<fetchQuotasQuery>(environment, query, { accountIds: accountIds.slice(0, MOST_NODES) }).subscribe({
    error: () => undefined,
  })
}

/** As many as the server answers at once. */
const MOST_NODES = 200
