import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CorpusFile } from '../../factories/corpus.ts'

const FORMATS = ['docx', 'odt', 'pdf'] as const
const TABLES = ['xlsx', 'ods'] as const

/** Letters and tables that LibreOffice writes, in each of its formats; none where it is not installed. */
export async function writeDocuments(): Promise<CorpusFile[]> {
  const dir = mkdtempSync(join(tmpdir(), 'skypool-documents-'))
  try {
    writeFileSync(join(dir, 'letter.html'), '<h1>Planning decision</h1><p>The ground floor stays open.</p>')
    writeFileSync(join(dir, 'budget.csv'), 'Budget,Oct,Nov\nEngineers,8400,6200\n')
    for (const format of FORMATS) await convert(dir, 'letter.html', format)
    for (const format of TABLES) await convert(dir, 'budget.csv', format)
    return readdirSync(dir)
      .filter((name) => !/\.(?:html|csv)$/.test(name) && name.includes('.'))
      .map((name) => ({
        kind: name.endsWith('.pdf') ? 'pdf' : 'office',
        name: `LibreOffice ${name}`,
        bytes: readFileSync(join(dir, name)),
        expected: 'PICTURE',
      }))
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error
    return []
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function convert(dir: string, name: string, format: string): Promise<void> {
  const profile = `-env:UserInstallation=file://${join(dir, 'profile')}`
  // Otherwise it opens a page for the web, which it cannot write as a document of Word.
  const filter = name.endsWith('.html') ? ['--infilter=HTML (StarWriter)'] : []
  const target = ['--convert-to', format, '--outdir', dir, join(dir, name)]
  await promisify(execFile)('soffice', [profile, '--headless', ...filter, ...target])
}
