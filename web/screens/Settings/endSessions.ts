import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { endSessionsOneMutation } from '../../__generated__/endSessionsOneMutation.graphql.ts'
import type { endSessionsOthersMutation } from '../../__generated__/endSessionsOthersMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const one = graphql`
  mutation endSessionsOneMutation($input: EndSessionInput!) {
    endSession(input: $input) {
      __typename
      ... on EndSessionPayload {
        viewer {
          ...Sessions_viewer
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`

const others = graphql`
  mutation endSessionsOthersMutation($input: EndOtherSessionsInput!) {
    endOtherSessions(input: $input) {
      __typename
      ended
      viewer {
        ...Sessions_viewer
      }
    }
  }
`

/** @throws MutationRefused, Error */
export async function endSession(environment: IEnvironment, id: string): Promise<void> {
  await runMutation<endSessionsOneMutation>(environment, {
    mutation: one,
    variables: { input: { id } },
    outcome: (answer) => answer.endSession,
  })
}

/** All but this one. Resolves with how many. @throws Error */
export async function endOtherSessions(environment: IEnvironment): Promise<number> {
  const { endOtherSessions: answer } = await runMutation<endSessionsOthersMutation>(environment, {
    mutation: others,
    variables: { input: {} },
    outcome: (response) => response.endOtherSessions,
  })
  return answer.ended
}
