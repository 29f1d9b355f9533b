import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig, SETTINGS } from '../../server/env.ts'

const KEY = '0123456789abcdef'.repeat(2)
const OLDER_KEY = 'Thirty-two characters and some more.'

describe('readConfig', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: null,
      dataDir: resolve('data'),
      databaseUrl: null,
      databaseDirectUrl: null,
      databasePool: null,
      roles: new Set(['web', 'worker']),
      workers: 1,
      localQuotaBytes: 15 * 1024 ** 3,
      diskReserveBytes: 1024 ** 3,
      totalQuotaBytes: null,
      thumbnailsLimitBytes: 2 * 1024 ** 3,
      registration: 'OPEN',
      acceptAnyType: true,
      avatarUrl: new URL('https://www.gravatar.com/avatar/'),
      secretKeys: null,
      providers: {
        GOOGLE_CLIENT_ID: null,
        GOOGLE_CLIENT_SECRET: null,
        GOOGLE_SCOPE: 'drive',
        DROPBOX_CLIENT_ID: null,
        DROPBOX_CLIENT_SECRET: null,
        DROPBOX_ACCESS: 'full',
        ONEDRIVE_CLIENT_ID: null,
        ONEDRIVE_CLIENT_SECRET: null,
        ONEDRIVE_TENANT: 'common',
        BOX_CLIENT_ID: null,
        BOX_CLIENT_SECRET: null,
        GITHUB_CLIENT_ID: null,
        GITHUB_CLIENT_SECRET: null,
        PCLOUD_CLIENT_ID: null,
        PCLOUD_CLIENT_SECRET: null,
      },
      telegramBotToken: null,
      accountPollMs: 30_000,
      rateLimit: 1200,
      smtpUrl: null,
      mailFrom: null,
      providerEmulatorUrl: null,
      allowPrivateHosts: [],
      corsOrigins: new Set(),
      trustProxy: false,
      bucket: null,
      storageFrom: null,
      downloadRedirect: false,
      metricsPort: null,
      traces: null,
      logLevel: 'info',
    })
  })

  it('accepts only the listed types when that is asked for', () => {
    expect(readConfig({ UPLOAD_TYPES: 'documents' }).acceptAnyType).toBe(false)
    expect(readConfig({ UPLOAD_TYPES: '*' }).acceptAnyType).toBe(true)
  })

  it('allows hosts in all private networks, or none', () => {
    expect(readConfig({ ALLOW_PRIVATE_HOSTS: 'true' }).allowPrivateHosts).toBe(true)
    expect(readConfig({ ALLOW_PRIVATE_HOSTS: 'false' }).allowPrivateHosts).toEqual([])
  })

  it('takes every setting', () => {
    const environment = {
      HOST: '::1',
      PORT: '0',
      PUBLIC_URL: 'https://files.example.org',
      DATA_DIR: '/srv/skypool',
      DATABASE_URL: 'postgres://me:secret@db/skypool',
      DATABASE_DIRECT_URL: 'postgres://me:secret@primary/skypool',
      DATABASE_POOL: '20',
      ROLES: 'web',
      WORKERS: '3',
      STORAGE_URL: 's3://me:canary@s3.example.org:9000/files/pool?region=eu-west-1&path-style=1&tls=0',
      STORAGE_FROM: 'disk',
      DOWNLOAD_REDIRECT: '1',
      LOCAL_QUOTA: '1.5 tb',
      DISK_RESERVE: '2GB',
      TOTAL_QUOTA: '9TB',
      THUMBNAILS_LIMIT: '500MB',
      REGISTRATION: 'invite',
      UPLOAD_TYPES: '*',
      AVATAR_URL: 'http://pictures.example.org/',
      SECRET_KEY: `${KEY}, ${OLDER_KEY}`,
      GOOGLE_CLIENT_ID: 'g-id',
      GOOGLE_CLIENT_SECRET: 'g-secret',
      GOOGLE_SCOPE: 'drive.file',
      DROPBOX_CLIENT_ID: 'd-id',
      DROPBOX_CLIENT_SECRET: 'd-secret',
      DROPBOX_ACCESS: 'app_folder',
      ONEDRIVE_CLIENT_ID: 'o-id',
      ONEDRIVE_CLIENT_SECRET: 'o-secret',
      ONEDRIVE_TENANT: 'consumers',
      BOX_CLIENT_ID: 'b-id',
      BOX_CLIENT_SECRET: 'b-secret',
      GITHUB_CLIENT_ID: 'Iv-id',
      GITHUB_CLIENT_SECRET: 'gh-secret',
      PCLOUD_CLIENT_ID: 'p-id',
      PCLOUD_CLIENT_SECRET: 'p-secret',
      TELEGRAM_BOT_TOKEN: '123456:AAbotTokenOfTheTests_-0123456789xy',
      ACCOUNT_POLL_SECONDS: '5',
      RATE_LIMIT: '600',
      SMTP_URL: 'smtps://me:canary@mail.example.org',
      MAIL_FROM: 'The Pool <pool@example.org>',
      PROVIDER_EMULATOR_URL: 'http://127.0.0.1:9100',
      ALLOW_PRIVATE_HOSTS: '192.168.1.0/24, ::1',
      CORS_ORIGINS: 'https://app.example.org, http://localhost:5173',
      TRUST_PROXY: '10.0.0.0/8, 192.0.2.1',
      METRICS_PORT: '9464',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary',
      OTEL_SERVICE_NAME: 'pool',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      LOG_LEVEL: 'debug',
    }
    expect(Object.keys(environment)).toEqual(Object.keys(SETTINGS))
    expect(readConfig(environment)).toEqual({
      host: '::1',
      port: 0,
      publicUrl: new URL('https://files.example.org'),
      dataDir: '/srv/skypool',
      databaseUrl: 'postgres://me:secret@db/skypool',
      databaseDirectUrl: 'postgres://me:secret@primary/skypool',
      databasePool: 20,
      roles: new Set(['web']),
      workers: 3,
      localQuotaBytes: 1.5 * 1024 ** 4,
      diskReserveBytes: 2 * 1024 ** 3,
      totalQuotaBytes: 9 * 1024 ** 4,
      thumbnailsLimitBytes: 500 * 1024 ** 2,
      registration: 'INVITE',
      acceptAnyType: true,
      avatarUrl: new URL('http://pictures.example.org/'),
      secretKeys: [KEY, OLDER_KEY],
      providers: {
        GOOGLE_CLIENT_ID: 'g-id',
        GOOGLE_CLIENT_SECRET: 'g-secret',
        GOOGLE_SCOPE: 'drive.file',
        DROPBOX_CLIENT_ID: 'd-id',
        DROPBOX_CLIENT_SECRET: 'd-secret',
        DROPBOX_ACCESS: 'app_folder',
        ONEDRIVE_CLIENT_ID: 'o-id',
        ONEDRIVE_CLIENT_SECRET: 'o-secret',
        ONEDRIVE_TENANT: 'consumers',
        BOX_CLIENT_ID: 'b-id',
        BOX_CLIENT_SECRET: 'b-secret',
        GITHUB_CLIENT_ID: 'Iv-id',
        GITHUB_CLIENT_SECRET: 'gh-secret',
        PCLOUD_CLIENT_ID: 'p-id',
        PCLOUD_CLIENT_SECRET: 'p-secret',
      },
      telegramBotToken: '123456:AAbotTokenOfTheTests_-0123456789xy',
      accountPollMs: 5_000,
      rateLimit: 600,
      smtpUrl: new URL('smtps://me:canary@mail.example.org'),
      mailFrom: 'The Pool <pool@example.org>',
      providerEmulatorUrl: new URL('http://127.0.0.1:9100'),
      allowPrivateHosts: ['192.168.1.0/24', '::1'],
      corsOrigins: new Set(['https://app.example.org', 'http://localhost:5173']),
      trustProxy: '10.0.0.0/8, 192.0.2.1',
      bucket: {
        endpoint: 'http://s3.example.org:9000',
        bucket: 'files',
        prefix: 'pool',
        region: 'eu-west-1',
        style: 'path',
        accessKey: 'me',
        secretKey: 'canary',
      },
      storageFrom: 'disk',
      downloadRedirect: true,
      metricsPort: 9464,
      traces: {
        endpoint: new URL('http://127.0.0.1:4318'),
        headers: { authorization: 'Bearer canary' },
        serviceName: 'pool',
        ratio: 0.1,
      },
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
    ['TOTAL_QUOTA', '15'],
    ['REGISTRATION', 'shut'],
    ['UPLOAD_TYPES', 'image/*'],
    ['AVATAR_URL', 'ftp://x'],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY', 'a'.repeat(64)],
    ['SECRET_KEY', `${'0123456789abcdef'.repeat(2)},`],
    ['GOOGLE_SCOPE', 'everything'],
    ['DROPBOX_ACCESS', 'some'],
    ['ONEDRIVE_TENANT', 'a/b'],
    ['TELEGRAM_BOT_TOKEN', 'my-bot'],
    ['SMTP_URL', 'mail.example.org:25'],
    ['SMTP_URL', 'https://mail.example.org'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'a@example.org, b@example.org'],
    ['MAIL_FROM', 'Eve <a@example.org>\r\nBcc: b@example.org'],
    ['PROVIDER_EMULATOR_URL', 'localhost:9100'],
    ['ALLOW_PRIVATE_HOSTS', 'nas.local'],
    ['ALLOW_PRIVATE_HOSTS', '10.0.0.0/33'],
    ['ALLOW_PRIVATE_HOSTS', '10.0.0.0/8/8'],
    ['ALLOW_PRIVATE_HOSTS', 'fe80::1%eth0'],
    ['CORS_ORIGINS', 'app.example.org'],
    ['CORS_ORIGINS', 'https://app.example.org/'],
    ['CORS_ORIGINS', 'https://*.example.org'],
    ['CORS_ORIGINS', 'https://app.example.org,,*'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s and says which', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} `))
  })

  it.each([
    ['GOOGLE_CLIENT_ID', '"1-a.apps.googleusercontent.com"'],
    ['GOOGLE_CLIENT_SECRET', "'GOCSPX-a'"],
    ['DROPBOX_CLIENT_SECRET', 'App secret: abc'],
    ['ONEDRIVE_CLIENT_ID', '“8c1f”'],
    ['BOX_CLIENT_SECRET', '<abc>'],
  ])('refuses %s with something around the value of the provider, without showing a secret', (name, value) => {
    const read = () => readConfig({ [name]: value })
    expect(read).toThrow(new RegExp(`^${name} must be only the value that the provider shows`))
    if (name.endsWith('SECRET')) expect(read).not.toThrow(/GOCSPX|abc/)
    expect(readConfig({ [name]: ` a~b.c'8"_-Q ` }).providers).toMatchObject({ [name]: `a~b.c'8"_-Q` })
  })

  it('names every wrong setting at once, and never a password', () => {
    const read = () => readConfig({ PORT: 'x', DATABASE_URL: 'mysql://me:secret@db' })
    expect(read).toThrow(/PORT .*\nDATABASE_URL /)
    expect(read).not.toThrow(/secret/)
    expect(() => readConfig({ SECRET_KEY: 'canary,canary' })).not.toThrow(/canary/)
    expect(() => readConfig({ TELEGRAM_BOT_TOKEN: '1:canary' })).not.toThrow(/canary/)
    expect(() => readConfig({ SMTP_URL: 'http://me:canary@mail.example.org' })).not.toThrow(/canary/)
  })
})
