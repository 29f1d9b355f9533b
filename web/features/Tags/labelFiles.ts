import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { labelFilesColorMutation } from '../../__generated__/labelFilesColorMutation.graphql.ts'
import type { labelFilesTagMutation } from '../../__generated__/labelFilesTagMutation.graphql.ts'
import { announce } from '../../lib/announce.ts'
import { failuresOf, runForAll, runMutation } from '../../relay/runMutation.ts'
import { tellFailures } from '../FileChanges/tell.ts'
import { COLOR_NAMES, type Color, messages } from './labels.ts'
import type { NewTag } from './tagChanges.ts'

const tagging = graphql`
  mutation labelFilesTagMutation($input: TagFilesInput!) {
    tagFiles(input: $input) {
      __typename
      ... on TagFilesPayload {
        files { id tags { id ...TagList_tags } }
        failures { id message }
      }
      ... on Error { code message }
    }
  }
`

/** Puts a tag on files, or takes it off them. What fails is said in a toast. `nameOf`: names for it. */
export async function tagFiles(
  environment: IEnvironment,
  ids: readonly string[],
  tag: NewTag,
  isOn: boolean,
  nameOf: (id: string) => string,
): Promise<void> {
  const { done, failures } = await runForAll(ids, async (part) => {
    const { tagFiles: changed } = await runMutation<labelFilesTagMutation>(environment, {
      mutation: tagging,
      variables: { input: { ids: part, [isOn ? 'addTagIds' : 'removeTagIds']: [tag.id] } },
      repeats: true,
      outcome: (answer) => answer.tagFiles,
    })
    return failuresOf(changed)
  })
  tellFailures(messages.notPut, failures, nameOf)
  if (done.length > 0) announce(isOn ? messages.put(tag.name) : messages.taken(tag.name))
}

const coloring = graphql`
  mutation labelFilesColorMutation($input: ColorFoldersInput!) {
    colorFolders(input: $input) {
      __typename
      ... on ColorFoldersPayload {
        files { id color }
        failures { id message }
      }
      ... on Error { code message }
    }
  }
`

/** Gives folders a colour; null is the usual one. What fails is said in a toast. */
export async function colorFolders(
  environment: IEnvironment,
  ids: readonly string[],
  color: Color | null,
  nameOf: (id: string) => string,
): Promise<void> {
  const { done, failures } = await runForAll(ids, async (part) => {
    const { colorFolders: changed } = await runMutation<labelFilesColorMutation>(environment, {
      mutation: coloring,
      variables: { input: { ids: part, color } },
      optimisticUpdater: (store) => {
        for (const id of part) store.get(id)?.setValue(color, 'color')
      },
      repeats: true,
      outcome: (answer) => answer.colorFolders,
    })
    return failuresOf(changed)
  })
  tellFailures(messages.notColored, failures, nameOf)
  if (done.length > 0) announce(`${messages.folderColor}: ${color === null ? messages.usual : COLOR_NAMES[color]}`)
}
