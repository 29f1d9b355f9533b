import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { trashFilesMutation } from '../../__generated__/trashFilesMutation.graphql.ts'
import type { trashFilesRestoreMutation } from '../../__generated__/trashFilesRestoreMutation.graphql.ts'
import { type Failure, failuresOf, runMutation } from '../../relay/runMutation.ts'

const trash = graphql`
  mutation trashFilesMutation($input: TrashFilesInput!) {
    trashFiles(input: $input) {
      __typename
      ... on TrashFilesPayload {
        files {
          id
          trashedAt
        }
        failures {
          id
          message
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** @returns those that were refused, while others were not. @throws MutationRefused, Error */
export async function trashFiles(environment: IEnvironment, ids: readonly string[]): Promise<readonly Failure[]> {
  const { trashFiles: done } = await runMutation<trashFilesMutation>(environment, {
    mutation: trash,
    variables: { input: { ids } },
    repeats: true,
    outcome: (response) => response.trashFiles,
  })
  return failuresOf(done)
}

const restore = graphql`
  mutation trashFilesRestoreMutation($input: RestoreFilesInput!) {
    restoreFiles(input: $input) {
      __typename
      ... on RestoreFilesPayload {
        files {
          id
          name
          trashedAt
        }
        failures {
          id
          message
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
 * Moves entries out of the trash, back to where they were. @returns those that were refused, while others were not.
 * @throws MutationRefused, Error
 */
export async function restoreFiles(environment: IEnvironment, ids: readonly string[]): Promise<readonly Failure[]> {
  const { restoreFiles: done } = await runMutation<trashFilesRestoreMutation>(environment, {
    mutation: restore,
    variables: { input: { ids } },
    repeats: true,
    outcome: (response) => response.restoreFiles,
  })
  return failuresOf(done)
}
