import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { compareDuplicatesMutation } from '../../__generated__/compareDuplicatesMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation compareDuplicatesMutation($input: CompareDuplicatesInput!) {
    compareDuplicates(input: $input) {
      __typename
      ... on CompareDuplicatesPayload {
        comparisons {
          id
          state
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Starts to read the files of a likely group. @throws MutationRefused, Error */
export async function compareDuplicates(environment: IEnvironment, groupId: string): Promise<void> {
  await runMutation<compareDuplicatesMutation>(environment, {
    mutation,
    variables: { input: { ids: [groupId] } },
    outcome: (answer) => answer.compareDuplicates,
  })
}
