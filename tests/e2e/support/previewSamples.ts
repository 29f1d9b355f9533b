import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import yazl from 'yazl'
import type { Sample } from './samples.ts'

/** Files of kinds that previews read themselves. The two office documents were written by LibreOffice, the rest is made here. */
const require = createRequire(import.meta.url)
const fixture = (name: string) => readFileSync(`${import.meta.dirname}/../fixtures/${name}`)

export const docx: Sample = {
  name: 'Report.docx',
  type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  bytes: fixture('harbour.docx'),
}
export const pptx: Sample = {
  name: 'Plan.pptx',
  type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  bytes: fixture('harbour.pptx'),
}
export const font: Sample = {
  name: 'Geist.woff2',
  type: 'font/woff2',
  bytes: readFileSync(require.resolve('@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2')),
}
export const csv: Sample = {
  name: 'Walls.csv',
  type: 'text/csv',
  bytes: Buffer.from(
    `Part;Metres;Note\nQuay;120;"tall; and ""wide"""\n${Array.from({ length: 12_000 }, (_, row) => `Stone ${row};${row};<b>x</b>`).join('\n')}`,
  ),
}
export const json: Sample = {
  name: 'model.json',
  type: 'application/json',
  bytes: Buffer.from('{"name":"Harbour","id":12345678901234567890,"parts":[{"stone":1},{"stone":2}],"open":true}'),
}
export const code: Sample = {
  name: 'measure.ts',
  type: 'text/plain',
  bytes: Buffer.from(
    "// lengths\nexport const wall = 'north <b>wall</b>'\nexport function metres(x: number) { return x * 2 }\n",
  ),
}

/** A ZIP of these entries. */
export function zipOf(entries: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    zip.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk))
    zip.outputStream.on('end', () => resolve(Buffer.concat(chunks)))
    zip.outputStream.on('error', reject)
  })
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE_RELS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook whose sheets have these rows. */
function workbookOf(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Promise<Buffer> {
  const names = Object.keys(sheets)
  const cell = (value: string | number) =>
    typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="inlineStr"><is><t>${value}</t></is></c>`
  const sheetXml = (rows: readonly (readonly (string | number)[])[]) =>
    `${XML}<worksheet xmlns="${MAIN}"><sheetData>${rows
      .map(
        (row, index) =>
          `<row r="${index + 1}">${row.map((value, column) => cell(value).replace('<c', `<c r="${String.fromCharCode(65 + column)}${index + 1}"`)).join('')}</row>`,
      )
      .join('')}</sheetData></worksheet>`
  const parts = Object.fromEntries(
    Object.values(sheets).map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetXml(rows)]),
  )
  return zipOf({
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${RELS}"><Relationship Id="r1" Type="${OFFICE_RELS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE_RELS}"><sheets>${names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index + 1}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${RELS}">${names.map((_, index) => `<Relationship Id="s${index + 1}" Type="${OFFICE_RELS}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`).join('')}</Relationships>`,
    ...parts,
  })
}

export async function xlsx(): Promise<Sample> {
  const bytes = await workbookOf({
    Walls: [['Part', 'Metres'], ['Quay', 120.5], ...Array.from({ length: 11_000 }, (_, row) => [`Stone ${row}`, row])],
    Costs: [['Total', 4200]],
  })
  return { name: 'Walls.xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', bytes }
}

/** A tar archive of these entries. */
export function tarOf(entries: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, text]) => {
    const header = Buffer.alloc(512)
    const content = Buffer.from(text)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        ', 148)
    header.write('0', 156)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)])]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

const ENTRIES = { 'README.txt': 'north wall', 'plans/quay/level.txt': 'level of the quay', '../outside.txt': 'no' }

export async function archives(): Promise<Sample[]> {
  const tar = tarOf(ENTRIES)
  const { '../outside.txt': _, ...inside } = ENTRIES
  return [
    { name: 'Backup.zip', type: 'application/zip', bytes: await zipOf(inside) },
    { name: 'Backup.tar', type: 'application/x-tar', bytes: tar },
    { name: 'Backup.tar.gz', type: 'application/gzip', bytes: gzipSync(tar) },
  ]
}

/** 3 MiB of numbered lines: more than is loaded at once. */
export const log: Sample = {
  name: 'server.log',
  type: 'text/plain',
  bytes: Buffer.from(
    Array.from({ length: 60_000 }, (_, line) => `line ${line + 1} of the log, with some words äöü`).join('\n'),
  ),
}

export const broken: Sample = {
  name: 'broken.docx',
  type: 'application/octet-stream',
  bytes: Buffer.from('PK\x03\x04 not a ZIP'),
}

/** Files that are broken, or made to harm: none may be shown, freeze the page, or run anything. */
export async function hostile(): Promise<Sample[]> {
  const bomb = Buffer.alloc(200 * 1024 * 1024)
  const word = readFileSync(`${import.meta.dirname}/../fixtures/harbour.docx`)
  return [
    broken,
    { name: 'cut.docx', type: docx.type, bytes: word.subarray(0, 3_000) },
    {
      name: 'bomb.docx',
      type: docx.type,
      bytes: await zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': bomb }),
    },
    {
      name: 'bomb.xlsx',
      type: docx.type,
      bytes: await zipOf({ '[Content_Types].xml': '<Types/>', 'xl/workbook.xml': bomb }),
    },
    { name: 'empty.pptx', type: pptx.type, bytes: await zipOf({ '[Content_Types].xml': '<Types/>' }) },
    { name: 'broken.xlsx', type: 'application/octet-stream', bytes: Buffer.from('nothing') },
    {
      name: 'secret.docx',
      type: docx.type,
      bytes: Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2_000)]),
    },
    { name: 'broken.zip', type: 'application/octet-stream', bytes: Buffer.alloc(100, 80) },
    { name: 'broken.tar', type: 'application/octet-stream', bytes: Buffer.alloc(2_048, 65) },
    { name: 'broken.tgz', type: 'application/octet-stream', bytes: Buffer.alloc(2_048, 65) },
    { name: 'broken.woff2', type: 'application/octet-stream', bytes: Buffer.alloc(500, 65) },
  ]
}
