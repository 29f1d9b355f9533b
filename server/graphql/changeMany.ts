import { type DomainError, InvalidInputError, NotFoundError } from '../domain/errors.ts'
import type { EachAction, File } from '../domain/files/contract.ts'
import { parsePublicId } from '../lib/ids.ts'
import { builder } from './builder.ts'
import { type Context, requireViewer } from './context.ts'
import { MAX_IDS } from './limits.ts'

export type Failure = { readonly id: string; readonly name: string | null; readonly error: DomainError }

export const FileFailure = builder.objectRef<Failure>('FileFailure').implement({
  description: 'One of many entries that could not be changed. Nothing happened to it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'As it was asked for.' }),
    name: t.exposeString('name', { nullable: true, description: 'Null when it was asked for by its id.' }),
    code: t.string({
      description: 'Why, for programs; the README lists the codes.',
      resolve: ({ error }) => error.code,
    }),
    message: t.string({ description: 'Why, for people.', resolve: ({ error }) => error.message }),
  }),
})

export const FAILURES =
  'Those that could not be changed; the others are. When all of them fail, the answer is an error.'

export type ChangedMany = { readonly files: File[]; readonly doneIds: string[]; readonly failures: Failure[] }

/** Each by itself. @throws InvalidInputError, and what stopped the first one when none could be changed */
export async function changeMany(
  context: Context,
  globalIds: readonly string[],
  action: EachAction,
): Promise<ChangedMany> {
  const viewer = requireViewer(context)
  if (globalIds.length > MAX_IDS) {
    throw new InvalidInputError([{ path: 'ids', message: `At most ${MAX_IDS} things can be changed at once.` }])
  }
  const asked = [...new Set(globalIds)]
  const byDatabaseId = new Map<string, string>()
  const failures: Failure[] = []
  for (const id of asked) {
    const parsed = parsePublicId(id)
    if (parsed?.type === 'File') byDatabaseId.set(parsed.id, id)
    else failures.push({ id, name: null, error: new NotFoundError() })
  }
  const outcomes = await context.services.files.changeEach(viewer, [...byDatabaseId.keys()], action)
  const files: File[] = []
  const doneIds: string[] = []
  for (const { id: databaseId, file, error } of outcomes) {
    const id = byDatabaseId.get(databaseId) ?? databaseId
    if (error) failures.push({ id, name: null, error })
    else doneIds.push(id)
    if (file) files.push(file)
  }
  const [first] = failures
  if (first && doneIds.length === 0) throw first.error
  return { files, doneIds, failures }
}
