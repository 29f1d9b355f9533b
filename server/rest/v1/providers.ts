import { z } from 'zod'
import type { Provider as DomainProvider } from '../../domain/accounts/contract.ts'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { listOf, pageQuery } from '../schemas.ts'

const Field = z
  .object({
    name: z.string().describe('As in the body of `POST /<restPath>/auth`.'),
    label: z.string().describe('For people.'),
    help: z.string().nullable().describe('What to type, in a sentence.'),
    type: z.enum(['TEXT', 'MULTILINE', 'URL', 'NUMBER']).describe('What it takes.'),
    secret: z.boolean().describe('Not to be shown while it is typed.'),
    required: z.boolean().describe('Whether it may not be left out.'),
  })
  .meta({ id: 'ProviderField' })

const Provider = z
  .object({
    id: z.string().describe('As `provider` of an account.'),
    name: z.string().describe('For people.'),
    description: z.string().describe('A few words about it.'),
    popular: z.boolean().describe('Whether many people use it.'),
    availability: z
      .enum(['READY', 'NOT_CONFIGURED', 'UNAVAILABLE'])
      .describe(
        'NOT_CONFIGURED: an administrator must make `settings` first. UNAVAILABLE: this version cannot connect it.',
      ),
    settings: z.array(z.string()).describe('Settings of the server that are missing.'),
    setupSteps: z.array(z.string()).describe('What an administrator has to do first, in order.'),
    connectsBy: z
      .enum(['OAUTH', 'FORM'])
      .nullable()
      .describe('OAUTH: in a window of the provider. FORM: by its `fields`. null: this version cannot connect it.'),
    fields: z.array(Field).describe('Of its form, in order; empty while it is not set up, and for OAUTH.'),
    access: z.string().nullable().describe('What is asked of the provider, in words.'),
    capabilities: z.array(z.string()).describe('What it can do for files, in sentences; empty while it is not set up.'),
    restPath: z.string().describe('Where its accounts are, below `/api/v1`.'),
    quotaType: z.string().describe('Its `type` in `POST /quotas/by-ids-and-types`.'),
  })
  .meta({ id: 'Provider' })

/** What can be connected. */
export const providersRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/providers',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['accounts'],
        summary: 'List the providers, in the order in which people are shown them',
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

function present(provider: DomainProvider): z.infer<typeof Provider> {
  const {
    hue: _hue,
    glyph: _glyph,
    linkHost: _linkHost,
    settings,
    setupSteps,
    fields,
    capabilities,
    ...rest
  } = provider
  return {
    ...rest,
    settings: [...settings],
    setupSteps: [...setupSteps],
    fields: fields.map((field) => ({ ...field })),
    capabilities: [...capabilities],
  }
}
