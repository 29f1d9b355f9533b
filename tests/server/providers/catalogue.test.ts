import { expect, it } from 'vitest'
import { SETTINGS } from '../../../server/env.ts'
import { describeProviders } from '../../../server/providers/catalogue.ts'

const ELEVEN = [
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
]

it('has eleven providers in their order, three of them popular', () => {
  const catalogue = describeProviders(new Set())
  expect(catalogue.map(({ id }) => id)).toEqual(ELEVEN)
  expect(catalogue.filter(({ popular }) => popular).map(({ name }) => name)).toEqual([
    'Google Drive',
    'Dropbox',
    'OneDrive',
  ])
  for (const { name, description } of catalogue) expect([name, description]).not.toContain('')
})

it('says of each what keeps it from being connected, by settings that exist', () => {
  const byId = new Map(describeProviders(new Set(['dropbox'])).map((info) => [info.id, info]))
  expect(byId.get('dropbox')).toMatchObject({ availability: 'READY', settings: [] })
  expect(byId.get('google-drive')).toMatchObject({
    availability: 'NOT_CONFIGURED',
    settings: ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  })
  for (const id of ELEVEN.slice(2)) expect(byId.get(id)).toMatchObject({ availability: 'UNAVAILABLE', settings: [] })
  for (const { settings } of describeProviders(new Set())) {
    for (const setting of settings) expect(SETTINGS).toHaveProperty(setting)
  }
})
