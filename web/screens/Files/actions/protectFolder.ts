import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { protectFolderMutation } from '../../../__generated__/protectFolderMutation.graphql.ts'
import type { protectFolderUnprotectMutation } from '../../../__generated__/protectFolderUnprotectMutation.graphql.ts'
import { runMutation } from '../../../relay/runMutation.ts'

const protect = graphql`
  mutation protectFolderMutation($input: ProtectFolderInput!) {
    protectFolder(input: $input) {
      __typename
      ... on ProtectFolderPayload {
        file {
          id
          ...FileRow_file
        }
      }
      ... on InvalidInputError { fields { path message } }
      ... on Error {
        code
        message
      }
    }
  }
`

const unprotect = graphql`
  mutation protectFolderUnprotectMutation($input: UnprotectFolderInput!) {
    unprotectFolder(input: $input) {
      __typename
      ... on UnprotectFolderPayload {
        file {
          id
          ...FileRow_file
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

type Input = protectFolderMutation['variables']['input']

/** @throws MutationRefused, Error */
export async function protectFolder(environment: IEnvironment, input: Input): Promise<void> {
  await runMutation<protectFolderMutation>(environment, {
    mutation: protect,
    variables: { input },
    repeats: true,
    outcome: (response) => response.protectFolder,
  })
}

/** @throws MutationRefused, Error */
export async function unprotectFolder(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<protectFolderUnprotectMutation>(environment, {
    mutation: unprotect,
    variables: { input: { id } },
    outcome: (response) => response.unprotectFolder,
  })
}
