import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { emptyTrashMutation } from '../../../__generated__/emptyTrashMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const mutation = graphql`
  mutation emptyTrashMutation($input: EmptyTrashInput!) {
    emptyTrash(input: $input) {
      deletedCount
      __typename
    }
  }
`

/**
 * Deletes everything in the trash permanently. @returns the number of deleted entries, without those of an
 * attempt whose answer was lost @throws Error
 */
export async function emptyTrash(environment: IEnvironment): Promise<number> {
  const response = await runMutation<emptyTrashMutation>(environment, {
    mutation,
    variables: { input: {} },
    repeats: true,
    outcome: (answer) => answer.emptyTrash,
  })
  return response.emptyTrash.deletedCount
}
