import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readImports } from './imports.ts'
import { findProviderLists } from './providerLists.ts'
import { findRawSql } from './rawSql.ts'
import { judge } from './rules.ts'

const root = mkdtempSync(join(tmpdir(), 'skypool-arch-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function plant(files: Readonly<Record<string, string>>): void {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
}

function judgeTree(files: Readonly<Record<string, string>>): string[] {
  plant(files)
  return judge(readImports(root, ['server', 'web', 'tests']))
}

describe('the map of the code', () => {
  it('allows imports downwards', () => {
    const files = {
      'server/rest/v1/files.ts': `import { x } from '../../domain/files/service.ts'`,
      'server/domain/files/service.ts': `import {\n  a,\n  b,\n} from '../../lib/ids.ts'\nexport const x = a + b`,
      'server/lib/ids.ts': 'export const a = 1\nexport const b = 2',
    }
    expect(judgeTree(files)).toEqual([])
  })

  it.each([
    ['a value', `import { route } from '../../rest/v1.ts'`],
    ['a type', `import type { Route } from '../../rest/v1.ts'`],
    ['over several lines', `import {\n  route,\n} from '../../rest/v1.ts'`],
    ['for its side effect', `import '../../rest/v1.ts'`],
    ['later', `const late = () => import('../../rest/v1.ts')`],
    ['to export it', `export { route } from '../../rest/v1.ts'`],
  ])('refuses an import upwards: %s', (_form, code) => {
    const problems = judgeTree({ 'server/domain/files/service.ts': code, 'server/rest/v1.ts': '' })
    expect(problems).toEqual([
      expect.stringMatching(/^server\/domain\/files\/service.ts may not import server\/rest\/v1.ts/),
    ])
  })

  it.each([
    ['web/ui/Button.tsx', '../screens/Files/a.ts', 'web/screens/Files/a.ts'],
    ['web/screens/Files/a.ts', '../../../server/lib/ids.ts', 'server/lib/ids.ts'],
    ['server/graphql/types/File.ts', '../../db/pool.ts', 'server/db/pool.ts'],
    ['server/lib/ids.ts', '../env.ts', 'server/env.ts'],
    ['server/http/app.ts', '../../tests/setup/server.ts', 'tests/setup/server.ts'],
    ['server/misc/a.ts', '../lib/ids.ts', 'server/lib/ids.ts'],
    ['server/providers/dropbox/a.ts', '../google-drive/a.ts', 'server/providers/google-drive/a.ts'],
    ['server/providers/dropbox/a.ts', '../layers/a.ts', 'server/providers/layers/a.ts'],
    ['server/providers/dropbox/a.ts', '../../storage/a.ts', 'server/storage/a.ts'],
    ['server/providers/layers/a.ts', '../local/a.ts', 'server/providers/local/a.ts'],
    ['server/providers/shared/a.ts', '../dropbox/a.ts', 'server/providers/dropbox/a.ts'],
    ['server/providers/driver.ts', './registry.ts', 'server/providers/registry.ts'],
    ['server/providers/registry.ts', '../storage/a.ts', 'server/storage/a.ts'],
    ['server/domain/accounts/a.ts', '../../providers/registry.ts', 'server/providers/registry.ts'],
    ['server/domain/accounts/a.ts', '../../providers/local/a.ts', 'server/providers/local/a.ts'],
    ['server/rest/v1/a.ts', '../../providers/driver.ts', 'server/providers/driver.ts'],
    ['server/graphql/types/a.ts', '../../providers/errors.ts', 'server/providers/errors.ts'],
    ['server/jobs/tasks/a.ts', '../../providers/driver.ts', 'server/providers/driver.ts'],
  ])('refuses %s importing %s', (from, specifier, to) => {
    expect(judgeTree({ [from]: `import '${specifier}'`, [to]: '' })).toHaveLength(1)
  })

  it('allows the local disk as a driver, and the registry to import all drivers', () => {
    const files = {
      'server/providers/local/a.ts': `import '../../storage/b.ts'\nimport '../driver.ts'`,
      'server/providers/registry.ts': `import './dropbox/a.ts'\nimport './layers/a.ts'`,
      'server/domain/accounts/a.ts': `import '../../providers/errors.ts'`,
      ...Object.fromEntries(
        ['storage/b', 'providers/driver', 'providers/errors', 'providers/dropbox/a', 'providers/layers/a'].map(
          (path) => [`server/${path}.ts`, ''],
        ),
      ),
    }
    expect(judgeTree(files)).toEqual([])
  })

  it('refuses cycles', () => {
    const files = { 'server/lib/a.ts': `import './b.ts'`, 'server/lib/b.ts': `import './a.ts'` }
    expect(judgeTree(files)).toEqual([expect.stringMatching(/^A cycle: .*a\.ts → .*b\.ts → .*a\.ts$/)])
  })

  it('keeps the order of nouns, types included', () => {
    const files = {
      'server/domain/files/a.ts': `import type { B } from '../uploads/b.ts'`,
      'server/domain/uploads/b.ts': `import '../files/c.ts'`,
      'server/domain/files/c.ts': '',
      'server/domain/parcels/d.ts': `import '../files/c.ts'`,
    }
    expect(judgeTree(files)).toEqual([
      expect.stringMatching(/^server\/domain\/files\/a.ts may not import .*uploads comes after files/),
      expect.stringMatching(/^server\/domain\/parcels is missing in the order/),
    ])
  })

  it('refuses cycles of types in the domain', () => {
    const files = {
      'server/domain/files/a.ts': `import type { B } from './b.ts'`,
      'server/domain/files/b.ts': `import type { A } from './a.ts'`,
    }
    expect(judgeTree(files)).toEqual([expect.stringMatching(/^A cycle: .*a\.ts → .*b\.ts → .*a\.ts$/)])
  })

  it('allows two files to import types of each other elsewhere', () => {
    const files = { 'server/lib/a.ts': `import type { B } from './b.ts'`, 'server/lib/b.ts': `import './a.ts'` }
    expect(judgeTree(files)).toEqual([])
  })

  it('refuses an import of a missing file', () => {
    expect(() => judgeTree({ 'server/lib/a.ts': `import './gone.ts'` })).toThrow(/gone\.ts, which is missing/)
  })
})

describe('the list of providers', () => {
  const lists = (path: string, code: string) => {
    plant({ [path]: code })
    return findProviderLists(root, ['server', 'web'])
  }

  it.each([
    ['web/ui/AccountMark.tsx', `const GLYPHS = {\n  'google-drive': Triangle,\n  dropbox: Diamond,\n}`],
    ['web/screens/Files/messages.ts', `const NAMES = { onedrive: 'OneDrive', box: 'Box' }`],
    ['server/rest/v1/quotas.ts', `const TYPES = ['dropbox', "pcloud"]`],
    ['server/providers/registry.ts', `if (id === 'sftp' || id === 'webdav') open(id)`],
  ])('is not repeated in %s', (path, code) => {
    expect(lists(path, code)).toEqual([expect.stringMatching(new RegExp(`^${path} names .+, .+: .*only list`))])
  })

  it.each([
    ['server/providers/catalogue.ts', `const PROVIDERS = [{ id: 'mega' }, { id: 'pcloud' }]`],
    ['server/providers/dropbox/client.ts', `const KIND = 'dropbox'`],
    ['web/lib/accountLabel.ts', `/** 'dropbox', 'mega' */\nconst OWN = 'local' // or 'box', 'sftp'`],
  ])('may be named in %s', (path, code) => {
    expect(lists(path, code)).toEqual([])
  })
})

describe('raw SQL', () => {
  const found = (path: string, code: string) => {
    plant({ [path]: code })
    return findRawSql(root, ['server'])
  }

  it.each([
    ['server/graphql/types/User.ts', `const { rows } = await pool.query<{ id: string }>(TEXT, [id])`],
    ['server/rest/v1/files.ts', 'await db.$queryRaw`select now()`'],
    ['server/http/app.ts', `const READY = 'select 1'`],
    ['server/telegram/poller.ts', 'const FIND = `\n  select id from telegram_codes where code_hash = $1`'],
    ['server/compose.ts', `const END = 'update shares s set ended_at = now()'`],
    ['server/jobs/worker.ts', `const FORGET = "delete from idempotency_keys"`],
    ['server/domain/idempotency.ts', 'const ADD = `insert into idempotency_keys (key) values ($1)`'],
  ])('is not allowed in %s', (path, code) => {
    expect(found(path, code)).toEqual([expect.stringMatching(new RegExp(`^${path} has raw SQL`))])
  })

  it.each([
    ['server/domain/files/rows.ts', `const FIND = 'select id from files'`],
    ['server/db/pool.ts', `await pool.query('select 1')`],
    ['server/queue/enqueue.ts', `await tx.query(ADD_JOB, values)`],
    ['server/rest/v1/list.ts', `// pool.query('select id from files')\nconst { limit } = request.query`],
    ['server/graphql/types/File.ts', `const description = 'Entries to select.'`],
  ])('is allowed, or not there, in %s', (path, code) => {
    expect(found(path, code)).toEqual([])
  })
})
