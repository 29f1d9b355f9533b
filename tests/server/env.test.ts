import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig, SETTINGS } from '../../server/env.ts'

describe('readConfig', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: null,
      dataDir: resolve('data'),
      databaseUrl: null,
      localQuotaBytes: 15 * 1024 ** 3,
      acceptAnyType: false,
      avatarUrl: new URL('https://www.gravatar.com/avatar/'),
      trustProxy: false,
      logLevel: 'info',
    })
  })

  it('takes every setting', () => {
    const environment = {
      HOST: '::1',
      PORT: '0',
      PUBLIC_URL: 'https://files.example.org',
      DATA_DIR: '/srv/skypool',
      DATABASE_URL: 'postgres://me:secret@db/skypool',
      LOCAL_QUOTA: '1.5 tb',
      UPLOAD_TYPES: '*',
      AVATAR_URL: 'http://pictures.example.org/',
      TRUST_PROXY: '10.0.0.0/8, 192.0.2.1',
      LOG_LEVEL: 'debug',
    }
    expect(Object.keys(environment)).toEqual(Object.keys(SETTINGS))
    expect(readConfig(environment)).toEqual({
      host: '::1',
      port: 0,
      publicUrl: new URL('https://files.example.org'),
      dataDir: '/srv/skypool',
      databaseUrl: 'postgres://me:secret@db/skypool',
      localQuotaBytes: 1.5 * 1024 ** 4,
      acceptAnyType: true,
      avatarUrl: new URL('http://pictures.example.org/'),
      trustProxy: '10.0.0.0/8, 192.0.2.1',
      logLevel: 'debug',
    })
  })

  it.each([
    ['unlimited', null],
    ['512MB', 512 * 1024 ** 2],
    ['0B', 0],
  ])('understands LOCAL_QUOTA=%s', (text, bytes) => {
    expect(readConfig({ LOCAL_QUOTA: text }).localQuotaBytes).toBe(bytes)
  })

  it.each([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['PUBLIC_URL', 'files.example.org'],
    ['DATABASE_URL', 'mysql://db'],
    ['LOCAL_QUOTA', '15'],
    ['LOCAL_QUOTA', 'lots'],
    ['UPLOAD_TYPES', 'image/*'],
    ['AVATAR_URL', 'ftp://x'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s and says which', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} `))
  })

  it('names every wrong setting at once, and never a password', () => {
    const read = () => readConfig({ PORT: 'x', DATABASE_URL: 'mysql://me:secret@db' })
    expect(read).toThrow(/PORT .*\nDATABASE_URL /)
    expect(read).not.toThrow(/secret/)
  })
})
