import { expect, it } from 'vitest'
import { SETTINGS } from '../../../server/env.ts'
import { configuredModules, describeProviders, PROVIDERS } from '../../../server/providers/catalogue.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { createLoginProvider } from '../../setup/loginProvider.ts'

const dropbox = createLoginProvider('dropbox', 'dropbox').module
const TWELVE = [
  'google-drive',
  'dropbox',
  'onedrive',
  'box',
  'github',
  'sftp',
  'webdav',
  'amazon-s3',
  'google-photos',
  'mega',
  'pcloud',
  'telegram',
]

it('has twelve providers in their order, three of them popular', () => {
  const catalogue = describeProviders(PROVIDERS, new Map(), {})
  expect(catalogue.map(({ id }) => id)).toEqual(TWELVE)
  expect(catalogue.filter(({ popular }) => popular).map(({ name }) => name)).toEqual([
    'Google Drive',
    'Dropbox',
    'OneDrive',
  ])
  for (const { name, description } of catalogue) expect([name, description]).not.toContain('')
})

it('tells the administrator the redirect address, each setting and a heading for each step', () => {
  const settings = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, 'x']))
  const guard = createHostGuard([])
  const modules = configuredModules(PROVIDERS, createHttp({ emulatorUrl: null }), guard, settings)
  for (const { id, connect } of PROVIDERS) {
    const signIn = modules.find(({ kind }) => kind === id)?.signIn
    const steps = connect?.setupSteps ?? []
    expect(steps.length > 0).toBe(signIn?.by === 'OAUTH')
    if (signIn?.by !== 'OAUTH') continue
    const addresses = steps.flatMap((step) => step.match(/(?<= )<PUBLIC_URL>[^\s,]*[^\s,.]/g) ?? [])
    expect(addresses).toEqual([`<PUBLIC_URL>/oauth/${signIn.oauth.callbackName}/callback`])
    for (const setting of connect?.settings ?? []) expect(steps.join(' ')).toContain(setting)
    for (const step of steps) expect(step.replace(/ \(https:[^)]+\)/, '')).toMatch(/^[A-Z][^.]{8,90}\. [A-Z]/)
  }
})

it('says of each what keeps it from being connected, by settings that exist', () => {
  const byId = new Map(describeProviders(PROVIDERS, new Map([['dropbox', dropbox]]), {}).map((info) => [info.id, info]))
  expect(byId.get('dropbox')).toMatchObject({ availability: 'READY', settings: [] })
  expect(byId.get('google-drive')).toMatchObject({
    availability: 'NOT_CONFIGURED',
    settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  })
  expect(byId.get('onedrive')).toMatchObject({
    availability: 'NOT_CONFIGURED',
    settings: ['ONEDRIVE_CLIENT_ID', 'ONEDRIVE_CLIENT_SECRET'],
  })
  for (const { id, connect } of PROVIDERS) {
    if (id === 'dropbox') continue
    const settings = connect?.settings ?? []
    const availability = settings.length > 0 ? 'NOT_CONFIGURED' : 'UNAVAILABLE'
    expect(byId.get(id)).toMatchObject({ availability, settings, setupSteps: connect?.setupSteps ?? [] })
  }
  for (const { settings } of describeProviders(PROVIDERS, new Map(), {})) {
    for (const setting of settings) expect(SETTINGS).toHaveProperty(setting)
  }
})
