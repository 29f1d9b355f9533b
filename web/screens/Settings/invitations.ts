import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { invitationsCreateMutation } from '../../__generated__/invitationsCreateMutation.graphql.ts'
import type { invitationsRevokeMutation } from '../../__generated__/invitationsRevokeMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const create = graphql`
  mutation invitationsCreateMutation($input: CreateInvitationInput!) {
    createInvitation(input: $input) {
      __typename
      ... on CreateInvitationPayload {
        url
        viewer {
          ...Administration_viewer
        }
      }
      ... on InvalidInputError {
        fields {
          path
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

const revoke = graphql`
  mutation invitationsRevokeMutation($input: RevokeInvitationInput!) {
    revokeInvitation(input: $input) {
      __typename
      ... on RevokeInvitationPayload {
        viewer {
          ...Administration_viewer
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** For an address, or (null) for anyone with the link. Resolves with the link. @throws MutationRefused, Error */
export async function createInvitation(environment: IEnvironment, email: string | null): Promise<string> {
  const { createInvitation: made } = await runMutation<invitationsCreateMutation>(environment, {
    mutation: create,
    variables: { input: { email } },
    outcome: (answer) => answer.createInvitation,
  })
  return made.url ?? ''
}

/** @throws MutationRefused, Error */
export async function revokeInvitation(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<invitationsRevokeMutation>(environment, {
    mutation: revoke,
    variables: { input: { id } },
    outcome: (answer) => answer.revokeInvitation,
  })
}
