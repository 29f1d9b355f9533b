import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { changeTransferCancelMutation } from '../../__generated__/changeTransferCancelMutation.graphql.ts'
import type { changeTransferPauseMutation } from '../../__generated__/changeTransferPauseMutation.graphql.ts'
import type { changeTransferResumeMutation } from '../../__generated__/changeTransferResumeMutation.graphql.ts'
import type { changeTransferRetryMutation } from '../../__generated__/changeTransferRetryMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const pause = graphql`
  mutation changeTransferPauseMutation($input: PauseTransferInput!) {
    pauseTransfer(input: $input) {
      __typename
      ... on PauseTransferPayload { transfer { id ...StoringList_transfer } }
      ... on Error { code message }
    }
  }
`
const resume = graphql`
  mutation changeTransferResumeMutation($input: ResumeTransferInput!) {
    resumeTransfer(input: $input) {
      __typename
      ... on ResumeTransferPayload { transfer { id ...StoringList_transfer } }
      ... on Error { code message }
    }
  }
`
const cancel = graphql`
  mutation changeTransferCancelMutation($input: CancelTransferInput!) {
    cancelTransfer(input: $input) {
      __typename
      ... on CancelTransferPayload { transfer { id ...StoringList_transfer } }
      ... on Error { code message }
    }
  }
`
const retry = graphql`
  mutation changeTransferRetryMutation($input: RetryTransferInput!) {
    retryTransfer(input: $input) {
      __typename
      ... on RetryTransferPayload { transfer { id ...StoringList_transfer } }
      ... on Error { code message }
    }
  }
`

export type TransferChange = 'pause' | 'resume' | 'cancel' | 'retry'

const CHANGES: Readonly<Record<TransferChange, (environment: IEnvironment, id: string) => Promise<unknown>>> = {
  pause: (environment, id) =>
    runMutation<changeTransferPauseMutation>(environment, {
      mutation: pause,
      variables: { input: { id } },
      outcome: (answer) => answer.pauseTransfer,
    }),
  resume: (environment, id) =>
    runMutation<changeTransferResumeMutation>(environment, {
      mutation: resume,
      variables: { input: { id } },
      outcome: (answer) => answer.resumeTransfer,
    }),
  cancel: (environment, id) =>
    runMutation<changeTransferCancelMutation>(environment, {
      mutation: cancel,
      variables: { input: { id } },
      outcome: (answer) => answer.cancelTransfer,
    }),
  retry: (environment, id) =>
    runMutation<changeTransferRetryMutation>(environment, {
      mutation: retry,
      variables: { input: { id } },
      outcome: (answer) => answer.retryTransfer,
    }),
}

/** Changes a transfer to an account. @throws MutationRefused, Error */
export async function changeTransfer(environment: IEnvironment, id: string, change: TransferChange): Promise<void> {
  await CHANGES[change](environment, id)
}
