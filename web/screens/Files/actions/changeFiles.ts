import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { ChangeFilesInput, changeFilesMutation } from '../../../__generated__/changeFilesMutation.graphql.ts'
import { type Failure, runMutation } from '../../../relay/runMutation.ts'

/** The id of a failed entry that the server does not name. */
const FAILED_MORE = ''

const mutation = graphql`
  mutation changeFilesMutation($input: ChangeFilesInput!) {
    changeFiles(input: $input) {
      __typename
      ... on ChangeFilesPayload {
        changedCount
        failedCount
        failures {
          id
          name
          message
        }
        next
        from
        until
      }
      ... on Error {
        code
        message
      }
    }
  }
`

export type FilesChange = Omit<ChangeFilesInput, 'after' | 'clientMutationId'>

export type ChangedFiles = {
  /** Without those of an attempt whose answer was lost. */
  readonly count: number
  readonly failures: readonly Failure[]
  /** Names of those that failed. */
  readonly names: ReadonlyMap<string, string>
  /** When the first change was made, and the last. */
  readonly from: string
  readonly until: string
}

/**
 * Changes everything in a selection, with as many requests as it takes. @throws MutationRefused, Error: what was done
 * before stays done
 */
export async function changeFiles(environment: IEnvironment, change: FilesChange): Promise<ChangedFiles> {
  const failures: Failure[] = []
  const names = new Map<string, string>()
  let count = 0
  let from = ''
  let until = ''
  let after: string | null = null
  do {
    const { changeFiles: done }: changeFilesMutation['response'] = await runMutation<changeFilesMutation>(environment, {
      mutation,
      variables: { input: { ...change, after } },
      repeats: true,
      outcome: (response) => response.changeFiles,
    })
    const { changedCount = 0, failedCount = 0, failures: refused = [] } = done
    count += changedCount
    for (const { id, name, message } of refused) {
      failures.push({ ids: [id], reason: message })
      names.set(id, name ?? 'a file')
    }
    const unnamed = failedCount - refused.length
    if (unnamed > 0) failures.push({ ids: Array(unnamed).fill(FAILED_MORE), reason: failures[0]?.reason ?? '' })
    from ||= String(done.from)
    until = String(done.until)
    after = done.next ?? null
  } while (after !== null)
  return { count, failures, names, from, until }
}
