import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { changeJobCancelMutation } from '../../__generated__/changeJobCancelMutation.graphql.ts'
import type { changeJobPauseMutation } from '../../__generated__/changeJobPauseMutation.graphql.ts'
import type { changeJobResumeMutation } from '../../__generated__/changeJobResumeMutation.graphql.ts'
import type { changeJobRetryMutation } from '../../__generated__/changeJobRetryMutation.graphql.ts'
import type { changeJobUndoMutation } from '../../__generated__/changeJobUndoMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'

const pause = graphql`
  mutation changeJobPauseMutation($input: PauseJobInput!) {
    pauseJob(input: $input) {
      __typename
      ... on PauseJobPayload { job { id ...JobsList_job } }
      ... on Error { code message }
    }
  }
`
const resume = graphql`
  mutation changeJobResumeMutation($input: ResumeJobInput!) {
    resumeJob(input: $input) {
      __typename
      ... on ResumeJobPayload { job { id ...JobsList_job } }
      ... on Error { code message }
    }
  }
`
const cancel = graphql`
  mutation changeJobCancelMutation($input: CancelJobInput!) {
    cancelJob(input: $input) {
      __typename
      ... on CancelJobPayload { job { id ...JobsList_job } }
      ... on Error { code message }
    }
  }
`
const retry = graphql`
  mutation changeJobRetryMutation($input: RetryJobInput!) {
    retryJob(input: $input) {
      __typename
      ... on RetryJobPayload { job { id ...JobsList_job } }
      ... on Error { code message }
    }
  }
`

const undo = graphql`
  mutation changeJobUndoMutation($input: UndoJobInput!) {
    undoJob(input: $input) {
      __typename
      ... on UndoJobPayload { job { id ...JobsList_job } }
      ... on Error { code message }
    }
  }
`

export type JobChange = 'pause' | 'resume' | 'cancel' | 'retry' | 'undo'

const CHANGES: Readonly<Record<JobChange, (environment: IEnvironment, id: string) => Promise<unknown>>> = {
  pause: (environment, id) =>
    runMutation<changeJobPauseMutation>(environment, {
      mutation: pause,
      variables: { input: { id } },
      outcome: (answer) => answer.pauseJob,
    }),
  resume: (environment, id) =>
    runMutation<changeJobResumeMutation>(environment, {
      mutation: resume,
      variables: { input: { id } },
      outcome: (answer) => answer.resumeJob,
    }),
  cancel: (environment, id) =>
    runMutation<changeJobCancelMutation>(environment, {
      mutation: cancel,
      variables: { input: { id } },
      outcome: (answer) => answer.cancelJob,
    }),
  retry: (environment, id) =>
    runMutation<changeJobRetryMutation>(environment, {
      mutation: retry,
      variables: { input: { id } },
      outcome: (answer) => answer.retryJob,
    }),
  undo: (environment, id) =>
    runMutation<changeJobUndoMutation>(environment, {
      mutation: undo,
      variables: { input: { id } },
      repeats: true,
      outcome: (answer) => answer.undoJob,
    }),
}

/** Changes a job that copies, moves or changes files. @throws MutationRefused, Error */
export async function changeJob(environment: IEnvironment, id: string, change: JobChange): Promise<void> {
  await CHANGES[change](environment, id)
}
