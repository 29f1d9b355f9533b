import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { describeSchema, undescribed } from '../../server/graphql/descriptions.ts'
import { schema } from '../../server/graphql/schema.ts'

test('everything in the schema has a description', () => {
  expect(undescribed(schema)).toEqual([])
})

test('what nobody has described is found, whatever it is', () => {
  const odd = buildSchema(`
    type Query { oddField(oddArgument: OddInput): OddEnum }
    input OddInput { oddInputField: Int }
    enum OddEnum { ODD_VALUE }
  `)
  expect([...undescribed(describeSchema(odd))].sort()).toEqual([
    'OddEnum',
    'OddEnum.ODD_VALUE',
    'OddInput.oddInputField',
    'Query.oddField',
    'Query.oddField(oddArgument)',
  ])
})
