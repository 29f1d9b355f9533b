import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorsTable, settingsTable } from './tables.ts'

const readme = readFileSync('README.md', 'utf8')
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

describe('the README', () => {
  it('lists every setting as the code reads it', () => {
    expect(readme).toContain(settingsTable())
  })

  it('lists every error code as the server answers it', () => {
    expect(readme).toContain(errorsTable())
  })
})

describe.each(['README.md', 'CONTRIBUTING.md'])('%s', (file) => {
  const text = readFileSync(file, 'utf8')

  it('names only commands that exist', () => {
    const commands = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] ?? '')
    expect(commands.length).toBeGreaterThan(0)
    expect(commands.filter((command) => !(command in scripts))).toEqual([])
  })

  it('names only files and folders that exist', () => {
    const paths = [...text.matchAll(/`((?:server|web|tests|prisma)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !existsSync(path))).toEqual([])
  })
})
