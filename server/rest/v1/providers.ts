import { z } from 'zod'
import type { Provider as DomainProvider, ProviderField } from '../../domain/accounts/contract.ts'
import { NotFoundError } from '../../domain/errors.ts'
import { type AccountScope, scopeRefusal } from '../../domain/inPlace/service.ts'
import type { Viewer } from '../../domain/viewer.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, optionalId, requireViewer } from '../request.ts'
import { idParams, listOf, noContent, pageOf, pageQuery } from '../schemas.ts'
import { Account, presentAccount, presentAccounts } from './accounts.ts'

const BODY_LIMIT_BYTES = 16 * 1024
/** Enough for multi-line keys. */
const FORM_LIMIT_BYTES = 256 * 1024
const CODE_PROBLEMS = ['INVALID_INPUT', 'AUTHORIZATION_FAILED', 'PROVIDER_UNAVAILABLE', 'PROVIDER_FAILED'] as const

const Field = z
  .object({
    name: z.string().describe('As in the body of `POST /<restPath>/auth`.'),
    label: z.string().describe('For people.'),
    help: z.string().nullable().describe('What to enter, in one sentence.'),
    type: z.enum(['TEXT', 'MULTILINE', 'URL', 'NUMBER', 'CHOICE']).describe('Type of input. CHOICE: one of `choices`.'),
    choices: z
      .array(
        z.object({
          value: z.string().describe('As in the body of the request.'),
          label: z.string().describe('For people.'),
        }),
      )
      .describe('What can be chosen; empty for other types.'),
    secret: z.boolean().describe('Not to be displayed while typing.'),
    required: z.boolean().describe('Whether it is required, whatever the others contain.'),
    requiredWhen: z
      .object({
        conditions: z
          .array(
            z.object({
              field: z.string().describe('`name` of another field of the form.'),
              values: z
                .array(z.string())
                .describe('The condition holds while it contains one of these; an empty text means that it is empty.'),
            }),
          )
          .describe('It is required while all of them hold.'),
        message: z.string().describe('What to say when it is empty then.'),
      })
      .nullable()
      .describe('When else it is required; null: never.'),
    onRequest: z.boolean().describe('Whether to show it only after an error about it, such as for a two-factor code.'),
    stored: z
      .boolean()
      .describe('Whether its value is stored; one that is not must be entered again to re-connect an account.'),
  })
  .meta({ id: 'ProviderField' })

const Provider = z
  .object({
    id: z.string().describe('As `provider` of an account.'),
    name: z.string().describe('For people.'),
    description: z.string().describe('A short description.'),
    popular: z.boolean().describe('Whether it is widely used.'),
    availability: z
      .enum(['READY', 'NOT_CONFIGURED', 'UNAVAILABLE'])
      .describe(
        'NOT_CONFIGURED: an administrator must set `settings` first. UNAVAILABLE: not supported by this version.',
      ),
    settings: z.array(z.string()).describe('Missing settings of the server.'),
    requiredSettings: z
      .array(z.string())
      .describe('Settings of the server that it needs; those in `settings` are missing.'),
    setupSteps: z
      .array(z.string())
      .describe(
        'Setup steps for the administrator, in order; links are in brackets, what is to be copied in backquotes.',
      ),
    connectSteps: z
      .array(z.string())
      .describe(
        'What each user does in the form, or at the provider before its window opens, in order; links are in brackets, commands in backquotes.',
      ),
    signInHints: z.array(z.string()).describe('What to do about what its window may ask or warn of.'),
    connectsBy: z
      .enum(['OAUTH', 'FORM'])
      .nullable()
      .describe('OAUTH: in a window of the provider. FORM: with its `fields`. null: not supported by this version.'),
    fields: z.array(Field).describe('Fields of its form, in order; empty until it is set up, and for OAUTH.'),
    access: z.string().nullable().describe('The requested access, as text.'),
    canShowEverything: z
      .boolean()
      .describe('Whether its accounts can have the `scope` EVERYTHING; false until it is set up.'),
    hasExtraRoots: z
      .boolean()
      .describe(
        'Whether what others share with its accounts, and shared drives, are shown only once chosen; false until it is set up.',
      ),
    capabilities: z.array(z.string()).describe('What it supports for files, as sentences; empty until it is set up.'),
    limits: z.array(z.string()).describe('What it cannot do, or does in its own way, as sentences.'),
    poolUse: z
      .enum(['FULL', 'EXTRA_COPIES', 'NONE'])
      .describe(
        'How group clouds use its accounts. EXTRA_COPIES: for the second and third copy of a file, never for its only one. NONE: not at all.',
      ),
    poolReason: z.string().nullable().describe('Why `poolUse` is not FULL, as text.'),
    restPath: z.string().describe('Path of its accounts below `/api/v1`.'),
    quotaType: z.string().describe('Its `type` in `POST /quotas/by-ids-and-types`.'),
  })
  .meta({ id: 'Provider' })

const Authorization = z
  .object({
    state: z.string().describe('Returned by the provider with the code. Valid once, for ten minutes, in this session.'),
    codeChallenge: z.string().describe('PKCE (RFC 7636); the verifier stays on the server.'),
    codeChallengeMethod: z.literal('S256'),
    authorizationUrl: z.string().describe('URL to open in a browser, with all parameters.'),
  })
  .meta({ id: 'Authorization' })

const state = z.string().max(500).optional().describe('From `init`. Default: the newest unused one of this session.')
const code = z.string().max(4000).describe('From the redirect of the provider.')
const scope = z
  .enum(['EVERYTHING', 'OWN'])
  .optional()
  .describe(
    'EVERYTHING: all that the account holds is shown, without changing anything there. OWN: only what Skypool stores in it. Default: EVERYTHING where `canShowEverything` of the provider allows it.',
  )
const ConnectBody = z.strictObject({ code, name: z.string().describe('1 to 100 characters.'), state, scope })
const ReconnectBody = z.strictObject({ code, state })
const InitQuery = z.strictObject({
  accountId: z
    .string()
    .max(200)
    .optional()
    .describe('The account to reconnect; the state is then valid for that account only.'),
})
const DeleteQuery = z.strictObject({
  force: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: even if files are lost until the account is reconnected.'),
  keepProtected: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`false`: copies that protect its files are removed. By default they become ordinary files in a folder of its name.',
    ),
})

/** The providers that can be connected. */
export const providersRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/providers',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['accounts'],
        summary: 'List providers, in the order of the web client',
        querystring: pageQuery,
        response: { 200: listOf(Provider) },
      },
    },
    async (request) => {
      requireViewer(request)
      return pageOf(services.accounts.providers().map(present), request.query)
    },
  )
}

/** Routes of every provider that this version can connect. */
export const providerAccountsRoutes: RestPlugin = async (app, deps) => {
  for (const provider of deps.services.accounts.providers()) {
    if (provider.connectsBy !== null) await app.register(routesOf(provider), deps)
  }
}

/** Routes for the accounts of one provider, below its path. */
function routesOf({ id: provider, name, restPath: path, ...more }: DomainProvider): RestPlugin {
  const { connectsBy, fields, canShowEverything } = more
  return async (app, { services }) => {
    const tags = [path]
    const { accounts, inPlace } = services

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
        pageOf(
          await presentAccounts(inPlace, requireViewer(request), await accounts.list(requireViewer(request), provider)),
          request.query,
        ),
    )

    if (connectsBy === 'FORM') connectByForm()
    else connectByOAuth()

    app.delete(
      `/${path}/:id`,
      {
        config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND', 'FILES_WOULD_BE_LOST'] },
        schema: {
          tags,
          summary: 'Disconnect an account; nothing is deleted at the provider',
          params: idParams,
          querystring: DeleteQuery,
          response: { 204: noContent },
        },
      },
      async (request, reply) => {
        const viewer = requireViewer(request)
        const id = await idOf(viewer, request.params.id)
        const { force, keepProtected } = request.query
        await accounts.disconnect(viewer, id, force === 'true', keepProtected !== 'false')
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
            summary: `The id of this server at ${name}`,
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
            summary: 'Start connecting an account',
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
          const viewer = requireViewer(request)
          const { scope: shown, ...grant } = request.body
          refuseScope(shown)
          const account = await accounts.connect(viewer, provider, grant, request.ownOrigin)
          await inPlace.setFirstScope(viewer, account.id, shown)
          return reply.code(201).send(await presentAccount(inPlace, viewer, account))
        },
      )

      app.put(
        `/${path}/:id`,
        {
          bodyLimit: BODY_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'NOT_FOUND', 'OTHER_LOGIN'] },
          schema: {
            tags,
            summary: 'Reconnect an account, with the same login',
            params: idParams,
            body: ReconnectBody,
            response: { 200: Account },
          },
        },
        async (request) => {
          const viewer = requireViewer(request)
          const id = await idOf(viewer, request.params.id)
          return presentAccount(inPlace, viewer, await accounts.reconnect(viewer, id, request.body, request.ownOrigin))
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
            body: z.strictObject({ name: z.string().describe('1 to 100 characters.'), fields: values, scope }),
            response: { 201: Account },
          },
        },
        async (request, reply) => {
          const { name, fields, scope: shown } = request.body
          const input = { name, fields: withEmptyMissing(fields) }
          const viewer = requireViewer(request)
          refuseScope(shown)
          const account = await accounts.connectByForm(viewer, provider, input)
          await inPlace.setFirstScope(viewer, account.id, shown)
          return reply.code(201).send(await presentAccount(inPlace, viewer, account))
        },
      )

      app.put(
        `/${path}/:id`,
        {
          bodyLimit: FORM_LIMIT_BYTES,
          config: { scope: 'SESSION', problems: [...CODE_PROBLEMS, 'NOT_FOUND', 'OTHER_LOGIN'] },
          schema: {
            tags,
            summary: 'Reconnect an account, with the same login',
            params: idParams,
            body: z.strictObject({ fields: values }),
            response: { 200: Account },
          },
        },
        async (request) => {
          const viewer = requireViewer(request)
          const id = await idOf(viewer, request.params.id)
          return presentAccount(
            inPlace,
            viewer,
            await accounts.reconnectByForm(viewer, id, withEmptyMissing(request.body.fields)),
          )
        },
      )
    }

    /** Before the account is connected. @throws InvalidInputError */
    function refuseScope(shown: AccountScope | undefined): void {
      if (shown === 'EVERYTHING' && !canShowEverything) throw scopeRefusal(name)
    }

    /** Only accounts of this provider are found at its path. @throws NotFoundError */
    async function idOf(viewer: Viewer, publicId: string): Promise<string> {
      const id = databaseId('Account', publicId)
      const [account] = await accounts.getMany(viewer, [id])
      if (account?.provider !== provider) throw new NotFoundError()
      return id
    }
  }
}

/** Schema of a form's fields; the domain validates them, with a message per field. */
function formOf(fields: readonly ProviderField[]) {
  const values = fields.map((field) => {
    const { name, label, help, secret, choices } = field
    const allowed = choices ? `One of: ${choices.map(({ value }) => value).join(', ')}.` : null
    const text = [`${label}.`, help, allowed, needOf(field)].filter((part) => part !== null).join(' ')
    return [name, z.string().optional().describe(text).meta({ writeOnly: secret })] as const
  })
  return z.strictObject(Object.fromEntries(values)).describe('The values of the form.')
}

/** Null: it is always required. */
function needOf({ required, requiredWhen }: ProviderField): string | null {
  if (required) return null
  const conditions = requiredWhen?.conditions.map(({ field, values }) => {
    const expected = values.map((value) => (value === '' ? 'empty' : value)).join(' or ')
    return `\`${field}\` is ${expected}`
  })
  return conditions ? `Required if ${conditions.join(' and ')}.` : 'Optional.'
}

const withEmptyMissing = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? '']))

function requirementOf({ requiredWhen }: ProviderField): z.infer<typeof Field>['requiredWhen'] {
  if (!requiredWhen) return null
  const conditions = requiredWhen.conditions.map(({ field, values }) => ({ field, values: [...values] }))
  return { ...requiredWhen, conditions }
}

function present(provider: DomainProvider): z.infer<typeof Provider> {
  const {
    hue: _hue,
    glyph: _glyph,
    linkHost: _linkHost,
    settings,
    requiredSettings,
    setupSteps,
    connectSteps,
    signInHints,
    fields,
    capabilities,
    limits,
    ...rest
  } = provider
  return {
    ...rest,
    settings: [...settings],
    requiredSettings: [...requiredSettings],
    setupSteps: [...setupSteps],
    connectSteps: [...connectSteps],
    signInHints: [...signInHints],
    fields: fields.map((field) => ({
      ...field,
      requiredWhen: requirementOf(field),
      choices: [...(field.choices ?? [])],
      onRequest: field.onRequest === true,
      stored: field.notStored !== true,
    })),
    capabilities: [...capabilities],
    limits: [...limits],
  }
}
