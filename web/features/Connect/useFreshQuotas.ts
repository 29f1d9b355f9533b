import { useEffect, useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { useFreshQuotasMutation } from '../../__generated__/useFreshQuotasMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation useFreshQuotasMutation($input: RefreshQuotasInput!) {
    refreshQuotas(input: $input) {
      __typename
      ... on RefreshQuotasPayload {
        accounts {
          id
          ...AccountCard_account
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/**
 * Asks the providers how full the accounts are, whenever the list of accounts changes (spec 7). True while the first
 * response for this list is pending; quotas that cannot be read keep their last known figures.
 */
export function useFreshQuotas(ids: readonly string[]): boolean {
  const environment = useRelayEnvironment()
  const wanted = ids.toSorted().join(' ')
  const [read, setRead] = useState('')
  useEffect(() => {
    if (wanted === '') return
    let current = true
    const done = () => current && setRead(wanted)
    runMutation<useFreshQuotasMutation>(environment, {
      mutation,
      variables: { input: { ids: wanted.split(' ') } },
      outcome: (response) => response.refreshQuotas,
    }).then(done, done)
    return () => {
      current = false
    }
  }, [environment, wanted])
  return read !== wanted
}
