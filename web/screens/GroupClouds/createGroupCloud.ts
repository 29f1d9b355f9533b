import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { createGroupCloudMutation } from '../../__generated__/createGroupCloudMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import type { Form } from './form.ts'

const mutation = graphql`
  mutation createGroupCloudMutation($input: CreateGroupCloudInput!) {
    createGroupCloud(input: $input) {
      __typename
      ... on CreateGroupCloudPayload {
        viewer {
          id
          groupClouds {
            id
            defaultUploadGroup
            ...PoolCard_groupCloud
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

/** @throws MutationRefused, Error */
export async function createGroupCloud(environment: IEnvironment, form: Form): Promise<void> {
  await runMutation<createGroupCloudMutation>(environment, {
    mutation,
    variables: { input: form },
    repeats: true,
    outcome: (response) => response.createGroupCloud,
  })
}
