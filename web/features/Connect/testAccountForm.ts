import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type {
  testAccountFormMutation,
  testAccountFormMutation$data,
} from '../../__generated__/testAccountFormMutation.graphql.ts'
import { runMutation } from '../../relay/runMutation.ts'
import { type FieldValues, listed } from './connectByForm.ts'

const mutation = graphql`
  mutation testAccountFormMutation($input: TestAccountFormInput!) {
    testAccountForm(input: $input) {
      __typename
      ... on TestAccountFormPayload {
        ok
        identity
        quota {
          state
          usedBytes
          totalBytes
        }
        fingerprint
        folderField
        folders {
          name
          value
        }
        problem
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

type Payload = testAccountFormMutation$data['testAccountForm']
export type TestResult = Pick<Payload, 'identity' | 'quota' | 'fingerprint' | 'folderField' | 'problem'> & {
  readonly ok: boolean
  readonly folders: NonNullable<Payload['folders']>
}

/** Tries to connect and keeps nothing. `accountId`: with its stored secrets where none are entered. @throws MutationRefused, Error */
export async function testAccountForm(
  environment: IEnvironment,
  provider: string,
  values: FieldValues,
  accountId: string | undefined,
): Promise<TestResult> {
  const answer = await runMutation<testAccountFormMutation>(environment, {
    mutation,
    variables: { input: { provider, fields: listed(values), accountId } },
    outcome: (response) => response.testAccountForm,
  })
  const { ok, folders, ...rest } = answer.testAccountForm
  if (ok === undefined) throw new Error('The server did not return the result of the test.')
  return { ...rest, ok, folders: folders ?? [] }
}
