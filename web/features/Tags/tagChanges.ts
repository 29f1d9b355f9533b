import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { tagChangesCreateMutation } from '../../__generated__/tagChangesCreateMutation.graphql.ts'
import type { tagChangesDeleteMutation } from '../../__generated__/tagChangesDeleteMutation.graphql.ts'
import type { tagChangesUpdateMutation, UpdateTagInput } from '../../__generated__/tagChangesUpdateMutation.graphql.ts'
import { runMutation, unlessGone } from '../../relay/runMutation.ts'
import type { Color } from './labels.ts'

const creation = graphql`
  mutation tagChangesCreateMutation($input: CreateTagInput!) {
    createTag(input: $input) {
      __typename
      ... on CreateTagPayload {
        tag { id name }
        viewer { id tags { id name color } }
      }
      ... on Error { code message }
      ... on InvalidInputError { fields { path message } }
    }
  }
`

export type NewTag = { readonly id: string; readonly name: string }

/** @throws MutationRefused, Error */
export async function createTag(environment: IEnvironment, name: string, color: Color): Promise<NewTag> {
  const { createTag: made } = await runMutation<tagChangesCreateMutation>(environment, {
    mutation: creation,
    variables: { input: { name, color } },
    repeats: true,
    outcome: (answer) => answer.createTag,
  })
  return made.tag ?? { id: '', name }
}

const update = graphql`
  mutation tagChangesUpdateMutation($input: UpdateTagInput!) {
    updateTag(input: $input) {
      __typename
      ... on UpdateTagPayload {
        tag { id name color }
      }
      ... on Error { code message }
      ... on InvalidInputError { fields { path message } }
    }
  }
`

/** @throws MutationRefused, Error */
export async function updateTag(environment: IEnvironment, input: UpdateTagInput): Promise<void> {
  await runMutation<tagChangesUpdateMutation>(environment, {
    mutation: update,
    variables: { input },
    repeats: true,
    outcome: (answer) => answer.updateTag,
  })
}

const deletion = graphql`
  mutation tagChangesDeleteMutation($input: DeleteTagInput!) {
    deleteTag(input: $input) {
      __typename
      ... on DeleteTagPayload {
        viewer { id tags { id name color } }
      }
      ... on Error { code message }
    }
  }
`

/** @throws MutationRefused, Error */
export async function deleteTag(environment: IEnvironment, id: string): Promise<void> {
  await unlessGone(
    runMutation<tagChangesDeleteMutation>(environment, {
      mutation: deletion,
      variables: { input: { id } },
      repeats: true,
      outcome: (answer) => answer.deleteTag,
    }),
  )
}
