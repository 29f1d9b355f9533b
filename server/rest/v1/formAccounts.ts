import { z } from 'zod'
import type { FormTest } from '../../domain/accounts/contract.ts'
import { scopeRefusal } from '../../domain/inPlace/service.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, optionalId, requireViewer } from '../request.ts'
import { Bytes, idParams } from '../schemas.ts'
import { Account, presentAccount } from './accounts.ts'

/** Enough for multi-line keys. */
const LIMIT_BYTES = 256 * 1024
const PROBLEMS = ['INVALID_INPUT', 'AUTHORIZATION_FAILED', 'PROVIDER_UNAVAILABLE', 'PROVIDER_FAILED'] as const

const provider = z.string().max(100).describe('`id` of a provider whose `connectsBy` is FORM.')
const fields = z.record(z.string().max(100), z.string()).describe('Values by `name` of the fields of the provider.')
const accountId = z
  .string()
  .max(200)
  .optional()
  .describe('An account to reconnect: secrets that are left empty are those that it was connected with.')
const scope = z.enum(['EVERYTHING', 'OWN']).optional().describe('As in `POST /<restPath>/auth`.')

const Test = z
  .object({
    ok: z.boolean().describe('Whether the account can be connected with these values.'),
    identity: z.string().nullable().describe('The login, as text.'),
    quota: z
      .object({
        state: z.enum(['KNOWN', 'UNLIMITED', 'UNKNOWN']).describe('Whether there is a total.'),
        usedBytes: Bytes.nullable().describe('null: not reported.'),
        totalBytes: Bytes.nullable().describe('null when unlimited or unknown.'),
      })
      .nullable()
      .describe('Its space; null unless `ok`.'),
    fingerprint: z
      .string()
      .nullable()
      .describe('Of the host key of the server, where it has to be compared and entered before anything is sent.'),
    folderField: z.string().nullable().describe('`name` of the field with the folder to use.'),
    folders: z
      .array(z.object({ name: z.string(), value: z.string().describe('For the field `folderField`.') }))
      .describe('Folders inside the one that was tried, at most 200.'),
    problem: z.string().nullable().describe('What is wrong, as text; null for `ok`.'),
  })
  .meta({ id: 'AccountTest' })

/** Accounts that are connected with a form, of all providers. */
export const formAccountsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['accounts']
  const { accounts, inPlace } = services

  app.post(
    '/accounts/test',
    {
      bodyLimit: LIMIT_BYTES,
      config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'PROVIDER_UNAVAILABLE'] },
      schema: {
        tags,
        summary: 'Try to connect with the values of a form, and keep nothing',
        body: z.strictObject({ provider, fields, accountId }),
        response: { 200: Test },
      },
    },
    async (request) => {
      const { provider, fields, accountId } = request.body
      return present(
        await accounts.testForm(requireViewer(request), provider, fields, optionalId('Account', accountId)),
      )
    },
  )

  app.post(
    '/accounts',
    {
      bodyLimit: LIMIT_BYTES,
      config: { scope: 'SESSION', problems: [...PROBLEMS, 'ACCOUNT_CONNECTED'] },
      schema: {
        tags,
        summary: 'Connect an account with a form',
        body: z.strictObject({ provider, name: z.string().describe('1 to 100 characters.'), fields, scope }),
        response: { 201: Account },
      },
    },
    async (request, reply) => {
      const { provider, name, fields, scope } = request.body
      const viewer = requireViewer(request)
      const known = accounts.providers().find(({ id }) => id === provider)
      if (scope === 'EVERYTHING' && known && !known.canShowEverything) throw scopeRefusal(known.name)
      const account = await accounts.connectByForm(viewer, provider, { name, fields })
      await inPlace.setFirstScope(viewer, account.id, scope)
      return reply.code(201).send(await presentAccount(inPlace, viewer, account))
    },
  )

  app.get(
    '/accounts/:id/form',
    {
      config: { scope: 'SESSION', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'The values that an account was connected with, without secrets',
        params: idParams,
        response: {
          200: z
            .object({ id: z.string().describe('The account.'), fields })
            .describe('Values for `PUT /accounts/{id}`.'),
        },
      },
    },
    async (request) => {
      const id = databaseId('Account', request.params.id)
      return { id: publicId('Account', id), fields: { ...(await accounts.formValues(requireViewer(request), id)) } }
    },
  )

  app.put(
    '/accounts/:id',
    {
      bodyLimit: LIMIT_BYTES,
      config: { scope: 'SESSION', problems: [...PROBLEMS, 'NOT_FOUND', 'OTHER_LOGIN', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Reconnect an account with a form, with the same login; secrets that are left empty stay as they are',
        params: idParams,
        body: z.strictObject({ fields }),
        response: { 200: Account },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const id = databaseId('Account', request.params.id)
      return presentAccount(inPlace, viewer, await accounts.reconnectByForm(viewer, id, request.body.fields))
    },
  )
}

function present({ quota, folders, ...rest }: FormTest): z.infer<typeof Test> {
  return { ...rest, quota, folders: folders.map((folder) => ({ ...folder })) }
}
