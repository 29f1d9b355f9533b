import { sampleFiles } from './samples.ts'

/** A file that an emulated account holds already. Documents of the provider have no content. */
export type HeldFile = {
  readonly path: string
  readonly mimeType: string
  readonly base64?: string
  readonly text?: string
  /** ISO 8601. */
  readonly modified?: string
}

const NATIVE = 'application/vnd.google-apps.'
const PLACES = ['Bergen', 'Oslo', 'Aarhus', 'Turku', 'Visby', 'Narvik'] as const
const CLIENTS = ['Holm', 'Lund & sons', 'Nordlys', 'Ropewalk', 'Saltworks', 'Ferry office'] as const
const PAPERS = ['Offer', 'Invoice', 'Memo', 'Minutes', 'Report', 'Survey'] as const

/**
 * What a person has gathered in an account over the years: photos by year, papers by client, drafts. The same seed gives the same
 * files, so that accounts can hold duplicates of each other.
 */
export function heldFiles(count: number, { documents = false } = {}): HeldFile[] {
  const files: HeldFile[] = []
  const drawing =
    sampleFiles()
      .find(({ name }) => name.endsWith('.svg'))
      ?.bytes.toString('base64') ?? ''
  for (let index = 0; files.length < count; index += 1) {
    const year = 2012 + (index % 14)
    const place = PLACES[index % PLACES.length] ?? ''
    const client = CLIENTS[index % CLIENTS.length] ?? ''
    const paper = PAPERS[index % PAPERS.length] ?? ''
    const number = String(index).padStart(4, '0')
    const modified = dayOf(year, index)
    files.push({
      path: `/Photos/${year}/${place}/IMG_${number}.svg`,
      mimeType: 'image/svg+xml',
      base64: picture(index),
      modified,
    })
    const text = `${paper} ${number} for ${client}, ${year}.\n`
    files.push(textFile(`/Clients/${client}/${year}/${paper} ${number}.txt`, text, modified))
    if (index % 5 === 0) {
      const fees = `/Clients/${client}/Fees/${year}, stage ${number}.csv`
      files.push(textFile(fees, `stage,fee\nconcept,${index * 10}\n`, modified))
    }
    // Copies of the same content under other names.
    if (index % 7 === 0)
      files.push({ path: `/Old laptop/Plan ${number}.svg`, mimeType: 'image/svg+xml', base64: drawing, modified })
    if (index % 11 === 0) files.push(textFile(`/Old laptop/${paper} ${number} (copy).txt`, text, modified))
    if (documents && index % 40 === 0) files.push({ path: `/Drafts/Idea ${number}`, mimeType: `${NATIVE}document` })
    if (documents && index % 90 === 0) files.push({ path: `/Drafts/Budget ${year}`, mimeType: `${NATIVE}spreadsheet` })
  }
  return files.slice(0, count)
}

function textFile(path: string, text: string, modified: string): HeldFile {
  return { path, mimeType: path.endsWith('.csv') ? 'text/csv' : 'text/plain', text, modified }
}

/** A working hour of that year, another one for each number. */
function dayOf(year: number, index: number): string {
  const at = Date.UTC(year, index % 10, 1 + (index % 27), 8 + (index % 9), (index * 7) % 60)
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}

/** A landscape; each has another colour. */
function picture(index: number): string {
  const hue = (index * 47) % 360
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect width="400" height="300" fill="hsl(${hue} 45% 82%)"/>
<path d="M0 ${180 + (index % 60)}L140 ${90 + (index % 40)} 260 190 400 ${120 + (index % 50)}V300H0z" fill="hsl(${hue} 35% 42%)"/></svg>`
  return Buffer.from(svg).toString('base64')
}
