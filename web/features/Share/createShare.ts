import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { CreateShareInput, createShareMutation } from '../../__generated__/createShareMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const mutation = graphql`
  mutation createShareMutation($input: CreateShareInput!) {
    createShare(input: $input) {
      __typename
      ... on CreateSharePayload {
        providerNote
        share {
          url
        }
        file {
          id
          shares {
            id
            ...ShareLink_share
          }
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

/** @returns the link, and why the provider's link could not be created @throws MutationRefused, Error */
export async function createShare(environment: IEnvironment, input: CreateShareInput) {
  const { createShare: made } = await runMutation<createShareMutation>(environment, {
    mutation,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.createShare,
  })
  return { url: made.share?.url ?? '', providerNote: made.providerNote ?? null }
}
