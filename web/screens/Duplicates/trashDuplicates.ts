import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type {
  TrashDuplicatesInput,
  trashDuplicatesMutation,
} from '../../__generated__/trashDuplicatesMutation.graphql.ts'
import type { trashDuplicatesUndoMutation } from '../../__generated__/trashDuplicatesUndoMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const trash = graphql`
  mutation trashDuplicatesMutation($input: TrashDuplicatesInput!) {
    trashDuplicates(input: $input) {
      __typename
      ... on TrashDuplicatesPayload {
        job {
          id
          total
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

const undo = graphql`
  mutation trashDuplicatesUndoMutation($input: UndoJobInput!) {
    undoJob(input: $input) {
      __typename
      ... on UndoJobPayload {
        job {
          id
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** Starts to move all files but one of each certain group to the trash. @returns the job @throws MutationRefused, Error */
export async function trashDuplicates(
  environment: IEnvironment,
  input: TrashDuplicatesInput,
): Promise<{ readonly id: string; readonly total: number }> {
  const { trashDuplicates: answer } = await runMutation<trashDuplicatesMutation>(environment, {
    mutation: trash,
    variables: { input },
    repeats: true,
    outcome: (response) => response.trashDuplicates,
  })
  if (!answer.job) throw new Error('The answer has no job.')
  return answer.job
}

/** Starts to restore what such a job has moved; it is cancelled first if it has not ended. @throws MutationRefused, Error */
export async function undoTrash(environment: IEnvironment, jobId: string): Promise<void> {
  await runMutation<trashDuplicatesUndoMutation>(environment, {
    mutation: undo,
    variables: { input: { id: jobId } },
    repeats: true,
    outcome: (response) => response.undoJob,
  })
}
