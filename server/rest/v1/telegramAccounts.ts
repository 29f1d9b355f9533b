import { z } from 'zod'
import type { TelegramAccount as DomainAccount } from '../../domain/telegram/service.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, pageOf, pageQuery } from '../schemas.ts'

const BODY_LIMIT_BYTES = 16 * 1024

const TelegramAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    username: z.string().nullable().describe('The Telegram username, without the @.'),
    createdAt: DateTime,
  })
  .meta({ id: 'TelegramAccount' })

const RegistrationCode = z
  .object({
    code: z.string().describe('Valid once, for ten minutes, after it was sent to the bot.'),
    botUsername: z.string().describe('Without the @.'),
    deepLink: z.string().describe('Opens the bot in Telegram with the code.'),
    expiresAt: DateTime,
  })
  .meta({ id: 'RegistrationCode' })

const code = z.string().max(200).describe('From `registration-code`, after it was sent to the bot.')
const ConnectBody = z.strictObject({ code, name: z.string().describe('1 to 100 characters.') })
const ReconnectBody = z.strictObject({ code })

/** Telegram accounts. They store no files yet. */
export const telegramAccountsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['telegram-accounts']
  const { telegram } = services

  app.get(
    '/telegram-accounts',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List the connected Telegram accounts',
        querystring: pageQuery,
        response: { 200: listOf(TelegramAccount) },
      },
    },
    async (request) => pageOf((await telegram.list(requireViewer(request))).map(present), request.query),
  )

  app.post(
    '/telegram-accounts/registration-code',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SESSION', problems: ['PROVIDER_UNAVAILABLE', 'PROVIDER_FAILED'] },
      schema: {
        tags,
        summary: 'Start connecting an account: returns a code to send to the bot',
        response: { 200: RegistrationCode },
      },
    },
    async (request) => {
      const { expiresAt, ...rest } = await telegram.registrationCode(requireViewer(request))
      return { ...rest, expiresAt: expiresAt.toISOString() }
    },
  )

  app.post(
    '/telegram-accounts',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'AUTHORIZATION_FAILED', 'ACCOUNT_CONNECTED', 'PROVIDER_UNAVAILABLE'],
      },
      schema: { tags, summary: 'Connect an account', body: ConnectBody, response: { 201: TelegramAccount } },
    },
    async (request, reply) => {
      const account = await telegram.connect(requireViewer(request), request.body)
      return reply.code(201).send(present(account))
    },
  )

  app.put(
    '/telegram-accounts/:id',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: {
        scope: 'SESSION',
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'AUTHORIZATION_FAILED', 'OTHER_LOGIN', 'PROVIDER_UNAVAILABLE'],
      },
      schema: {
        tags,
        summary: 'Reconnect an account, with the same login',
        params: idParams,
        body: ReconnectBody,
        response: { 200: TelegramAccount },
      },
    },
    async (request) => {
      const id = databaseId('TelegramAccount', request.params.id)
      return present(await telegram.reconnect(requireViewer(request), id, request.body.code))
    },
  )
}

function present({ id, createdAt, ...rest }: DomainAccount): z.infer<typeof TelegramAccount> {
  return { ...rest, id: publicId('TelegramAccount', id), createdAt: createdAt.toISOString() }
}
