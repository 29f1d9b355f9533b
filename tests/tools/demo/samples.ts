export type SampleFile = {
  /** Null: at the top. */
  readonly folder: string | null
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

export const pathOf = ({ folder, name }: SampleFile): string => (folder === null ? name : `${folder}/${name}`)

/** What a small architects' studio has lying about: small files of many kinds, valid as what they say they are. */
export function sampleFiles(): SampleFile[] {
  return [
    text('Harbour House', 'Brief.md', 'text/markdown', BRIEF),
    text('Harbour House', 'Room schedule.csv', 'text/csv', rooms()),
    text('Harbour House', 'Site plan 1-200.svg', 'image/svg+xml', plan('#166bbd')),
    text('Harbour House', 'North elevation.svg', 'image/svg+xml', plan('#d67235')),
    { folder: 'Harbour House', name: 'Interview with the harbour master.wav', type: 'audio/wav', bytes: wav(240) },
    text('Contracts', 'Engineer, terms.txt', 'text/plain', TERMS),
    text('Contracts', 'Fees 2026.csv', 'text/csv', 'stage,fee\nconcept,12000\ndesign,38000\nsite,21000\n'),
    { folder: null, name: 'Foghorn at dusk.wav', type: 'audio/wav', bytes: wav(90) },
    text(null, 'Opening times.txt', 'text/plain', 'The studio is open Monday to Friday, 9 to 17.\n'),
    text(null, 'Logo.svg', 'image/svg+xml', plan('#077047')),
  ]
}

const BRIEF = `# Harbour House

A quiet place to work, close to loud water.

- eleven rooms, one of them for *storms*
- nothing above the eaves of its neighbours
- see [the schedule](Room%20schedule.csv)
`
const TERMS = `The engineer advises on structure and foundations.\nFees are due within thirty days of each stage.\n`

function text(folder: string | null, name: string, type: string, content: string): SampleFile {
  return { folder, name, type, bytes: Buffer.from(content) }
}

function rooms(): string {
  const rows = Array.from({ length: 11 }, (_, index) => `${index + 1},Room ${index + 1},${18 + ((index * 7) % 23)}`)
  return ['number,name,m2', ...rows, ''].join('\n')
}

function plan(colour: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect width="400" height="300" fill="#f5f8f9"/>
<path d="M40 240V90l120-50 200 60v140z" fill="none" stroke="${colour}" stroke-width="6"/>
<path d="M160 40v200M40 150h320" stroke="${colour}" stroke-width="2"/></svg>`
}

/** A low tone, PCM 8 kHz mono of 8 bits. */
function wav(seconds: number): Buffer {
  const rate = 8000
  const data = Buffer.alloc(seconds * rate)
  for (let at = 0; at < data.length; at++) data[at] = 128 + Math.round(40 * Math.sin((at / rate) * 2 * Math.PI * 110))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}
