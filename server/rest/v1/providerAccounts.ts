import { z } from 'zod'
import type { Provider, ProviderField } from '../../domain/accounts/contract.ts'
import { NotFoundError } from '../../domain/errors.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, optionalId, requireViewer } from '../request.ts'
import { idParams, listOf, noContent, pageQuery } from '../schemas.ts'
import { Account, presentAccount } from './accountSchema.ts'

const BODY_LIMIT_BYTES = 16 * 1024
/** Keys of several lines fit. */
const FORM_LIMIT_BYTES = 256 * 1024

const Authorization = z
  .object({
    state: z.string().describe('Comes back with the code. Good for ten minutes, once, in this session.'),
    codeChallenge: z.string().describe('PKCE (RFC 7636); the verifier stays here.'),
    codeChallengeMethod: z.literal('S256'),
    authorizationUrl: z.string().describe('Where a browser goes, with all parameters.'),
  })
  .meta({ id: 'Authorization' })

const state = z
  .string()
  .max(500)
  .optional()
  .describe('From `init`. Without it the newest unused one of this session counts.')
const code = z.string().max(4000).describe('From the provider’s redirect.')
const ConnectBody = z.strictObject({ code, name: z.string().describe('1 to 100 characters.'), state })
const ReconnectBody = z.strictObject({ code, state })
const InitQuery = z.strictObject({
  accountId: z
    .string()
    .max(200)
    .optional()
    .describe('The account to reconnect; the state is then good for that one only.'),
})
const DeleteQuery = z.strictObject({
  force: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: although files would be lost until the account is connected again.'),
})

/** The fields of a form; the domain says in words what is wrong with each. */
function formOf(fields: readonly ProviderField[]) {
  const values = fields.map(({ name, label, help, secret, required }) => {
    const text = [`${label}.`, help, required ? null : 'May be left out.'].filter((part) => part !== null).join(' ')
    return [name, z.string().optional().describe(text).meta({ writeOnly: secret })] as const
  })
  return z.strictObject(Object.fromEntries(values)).describe('What a person would type in.')
}

const given = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? '']))

const CODE_PROBLEMS = ['INVALID_INPUT', 'AUTHORIZATION_FAILED', 'PROVIDER_UNAVAILABLE', 'PROVIDER_FAILED'] as const

/** The calls on the accounts of one provider, below its own path. */
function routesOf({ id: provider, name, restPath: path, connectsBy, fields }: Provider): RestPlugin {
  return async (app, { services }) => {
    const tags = [path]
    const { accounts } = services

    app.get(
      `/${path}`,
      {
        config: { problems: ['INVALID_INPUT'] },
        schema: {
          tags,
          summary: `List the connected ${name} accounts`,
          querystring: pageQuery,
          response: { 200: listOf(Account) },
        },
      },
      async (request) =>
        pageOf((await accounts.list(requireViewer(request), provider)).map(presentAccount), request.query),
    )

    if (connectsBy === 'FORM') connectByForm()
    else connectByOAuth()

    app.delete(
      `/${path}/:id`,
      {
        config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'FILES_WOULD_BE_LOST'] },
        schema: {
          tags,
          summary: 'Disconnect an account; nothing at the provider is deleted',
          params: idParams,
          querystring: DeleteQuery,
          response: { 204: noContent },
        },
      },
      async (request, reply) => {
        const viewer = requireViewer(request)
        const id = await idOf(viewer, request.params.id)
        await accounts.disconnect(viewer, id, request.query.force === 'true')
        return reply.code(204).send(null)
      },
    )

    function connectByOAuth(): void {
      app.get(
        `/${path}/client-id`,
        {
          config: { scope: 'SESSION', problems: ['PROVIDER_UNAVAILABLE'] },
          schema: {
            tags,
            summary: `This server as ${name} knows it`,
            response: { 200: z.object({ clientId: z.string() }) },
          },
        },
        async () => ({ clientId: accounts.clientId(provider) }),
      )

      app.get(
        `/${path}/init`,
        {
          config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'PROVIDER_UNAVAILABLE'] },
          schema: {
            tags,
            summary: 'Begin to connect an account',
            querystring: InitQuery,
            response: { 200: Authorization },
          },
        },
        async (request) => {
          const accountId = optionalId('Account', request.query.accountId)
          const begun = await accounts.authorize(requireViewer(request), provider, request.ownOrigin, accountId)
          const { state, codeChallenge, url } = begun
          return { state, codeChallenge, codeChallengeMethod: 'S256' as const, authorizationUrl: url }
        },
      )

      app.post(
        `/${path}/auth`,
        {
          bodyLimit: BODY_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'ACCOUNT_CONNECTED'] },
          schema: { tags, summary: 'Connect an account', body: ConnectBody, response: { 201: Account } },
        },
        async (request, reply) => {
          const account = await accounts.connect(requireViewer(request), provider, request.body, request.ownOrigin)
          return reply.code(201).send(presentAccount(account))
        },
      )

      app.put(
        `/${path}/:id`,
        {
          bodyLimit: BODY_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'NOT_FOUND', 'OTHER_LOGIN'] },
          schema: {
            tags,
            summary: 'Connect an account again, by the same login',
            params: idParams,
            body: ReconnectBody,
            response: { 200: Account },
          },
        },
        async (request) => {
          const viewer = requireViewer(request)
          const id = await idOf(viewer, request.params.id)
          return presentAccount(await accounts.reconnect(viewer, id, request.body, request.ownOrigin))
        },
      )
    }

    function connectByForm(): void {
      const values = formOf(fields)
      app.post(
        `/${path}/auth`,
        {
          bodyLimit: FORM_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'ACCOUNT_CONNECTED'] },
          schema: {
            tags,
            summary: 'Connect an account',
            body: z.strictObject({ name: z.string().describe('1 to 100 characters.'), fields: values }),
            response: { 201: Account },
          },
        },
        async (request, reply) => {
          const { name, fields } = request.body
          const input = { name, fields: given(fields) }
          const account = await accounts.connectByForm(requireViewer(request), provider, input)
          return reply.code(201).send(presentAccount(account))
        },
      )

      app.put(
        `/${path}/:id`,
        {
          bodyLimit: FORM_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'NOT_FOUND', 'OTHER_LOGIN'] },
          schema: {
            tags,
            summary: 'Connect an account again, by the same login',
            params: idParams,
            body: z.strictObject({ fields: values }),
            response: { 200: Account },
          },
        },
        async (request) => {
          const viewer = requireViewer(request)
          const id = await idOf(viewer, request.params.id)
          return presentAccount(await accounts.reconnectByForm(viewer, id, given(request.body.fields)))
        },
      )
    }

    /** Of this provider alone: another one's account is not at this address. @throws NotFoundError */
    async function idOf(viewer: Viewer, publicId: string): Promise<string> {
      const id = databaseId('Account', publicId)
      const [account] = await accounts.getMany(viewer, [id])
      if (account?.provider !== provider) throw new NotFoundError()
      return id
    }
  }
}

/** Of every provider that this version can connect. */
export const providerAccountsRoutes: RestPlugin = async (app, deps) => {
  for (const provider of deps.services.accounts.providers()) {
    if (provider.connectsBy !== null) await app.register(routesOf(provider), deps)
  }
}
