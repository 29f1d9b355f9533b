import { createRandom } from '../crashTest/random.ts'
import { ODD_NAMES, REFUSED_NAMES } from './naughty.ts'
import { encoded } from './values.ts'
import { type Asker, signUp } from './world.ts'

export type NamesReport = { readonly tried: number; readonly findings: readonly string[] }

const AT_ONCE = 4
/** Removed from the name that a download is saved under. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** What is created with a name: where, with which other fields, and how the name is documented to be stored. */
const MAKERS = [
  { path: '/api/v1/files/folders', body: {}, field: 'name', kept: (name: string) => name.normalize('NFC') },
  { path: '/api/v1/group-clouds', body: {}, field: 'name', kept: (name: string) => name.trim().normalize('NFC') },
  { path: '/api/v1/keys', body: {}, field: 'name', kept: (name: string) => name.trim().normalize('NFC') },
] as const

/** Gives every unusual name to everything that has a name, and checks that it is returned unchanged. */
export async function tryNames(url: string, names: readonly string[] = ODD_NAMES): Promise<NamesReport> {
  const findings: string[] = []
  const waiting = [...names]
  const worker = async (_: unknown, index: number): Promise<void> => {
    const random = createRandom(index)
    let asker = await signUp(url, random)
    for (let count = 1; ; count += 1) {
      const name = waiting.shift()
      if (name === undefined) return
      if (count % 40 === 0) asker = await signUp(url, random)
      for (const problem of await tryName(asker, name)) findings.push(`${JSON.stringify(name)}: ${problem}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const asker = await signUp(url, createRandom(AT_ONCE))
  for (const name of REFUSED_NAMES) {
    const { status, text } = await asker.ask('POST', '/api/v1/files/folders', { name })
    if (status !== 400)
      findings.push(`${JSON.stringify(name).slice(0, 100)} was answered ${status}: ${text.slice(0, 200)}`)
  }
  return { tried: names.length + REFUSED_NAMES.length, findings }
}

async function tryName(asker: Asker, name: string): Promise<string[]> {
  const made = await Promise.all(MAKERS.map((maker) => make(asker, name, maker)))
  return [
    ...made.flat(),
    ...(await tryUpload(asker, name)),
    ...(await trySearch(asker, name)),
    ...(await tryOwnName(asker, name)),
  ]
}

async function make(
  asker: Asker,
  name: string,
  { path, body, field, kept }: (typeof MAKERS)[number],
): Promise<string[]> {
  const { status, text } = await asker.ask('POST', path, { ...body, [field]: name })
  if (status === 201) return same(`POST ${path}`, nameIn(text), kept(name))
  // Some names have a shorter limit, and some must be unique; a refusal for any other reason is an error.
  const isFine =
    (status === 400 && [...name].length > 50) || isBlank(name) || (status === 409 && text.includes('NAME_TAKEN'))
  return isFine ? [] : [`POST ${path} answered ${status} ${text.slice(0, 200)}`]
}

/** By tus, whose metadata can contain any text; read back by REST, GraphQL and the header of the download. */
async function tryUpload(asker: Asker, name: string): Promise<string[]> {
  const metadata = `filename ${Buffer.from(`${name}.txt`).toString('base64')}`
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': '0', 'upload-metadata': metadata }
  const { status, headers: answered, text } = await asker.ask('POST', '/api/v1/uploads', undefined, headers)
  if (status !== 201)
    return Buffer.byteLength(`${name}.txt`) > 255 ? [] : [`tus answered ${status} ${text.slice(0, 200)}`]
  const id = answered.get('skypool-file-id') ?? (await newestFile(asker))
  const expected = `${name}.txt`.normalize('NFC')
  const rest = await asker.ask('GET', `/api/v1/files/${id}`)
  const query = { query: 'query($id: ID!) { viewer { file(id: $id) { name } } }', variables: { id } }
  const graphql = await asker.ask('POST', '/graphql', query)
  const download = await asker.ask('GET', `/api/v1/files/${id}/download`)
  const disposition = download.headers.get('content-disposition') ?? ''
  const [, star = ''] = /filename\*=UTF-8''([^;]+)/.exec(disposition) ?? []
  return [
    ...same('GET file', nameIn(rest.text), expected),
    ...same('GraphQL file', nameIn(graphql.text), expected),
    ...same('Content-Disposition', decodeURIComponent(star), expected.replace(DIRECTION_MARKS, '')),
    ...(/[^\x20-\x7e]/.test(disposition) ? ['Content-Disposition is not ASCII'] : []),
  ]
}

async function newestFile({ ask }: Asker): Promise<string> {
  const { text } = await ask('GET', '/api/v1/files?view=all&limit=1')
  return /"id":"(file_\w+)"/.exec(text)?.[1] ?? ''
}

/** The folder and the file of that name are found by it. */
async function trySearch({ ask }: Asker, name: string): Promise<string[]> {
  const { status, text } = await ask('GET', `/api/v1/files?q=${encoded(name)}&limit=200`)
  if (status === 400 && [...name].length > 100) return []
  if (status !== 200) return [`search answered ${status} ${text.slice(0, 200)}`]
  const { items } = JSON.parse(text) as { items: { name: string }[] }
  const isFound = items.some((item) => item.name.startsWith(name.normalize('NFC')))
  return isFound || Buffer.byteLength(name) > 251 ? [] : ['search does not find it']
}

async function tryOwnName({ ask }: Asker, name: string): Promise<string[]> {
  const { status, text } = await ask('PATCH', '/api/v1/auth/me', { fullName: name })
  if (status !== 200)
    return isBlank(name) || [...name].length > 50 ? [] : [`fullName answered ${status} ${text.slice(0, 200)}`]
  const [, shown = ''] = /"fullName":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return same('fullName', JSON.parse(shown) as string, name.trim().normalize('NFC'))
}

function same(where: string, shown: string | null, expected: string): string[] {
  return shown === expected ? [] : [`${where} says ${JSON.stringify(shown)}`]
}

function nameIn(text: string): string | null {
  const [, quoted] = /"name":("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return quoted === undefined ? null : (JSON.parse(quoted) as string)
}

function isBlank(name: string): boolean {
  return name.trim() === ''
}
