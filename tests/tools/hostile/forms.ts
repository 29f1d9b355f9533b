import type { Random } from '../crashTest/random.ts'
import { NAUGHTY } from './naughty.ts'
import { chance, oddType, pick } from './values.ts'

const FIELD_NAMES = [
  'file',
  'files',
  'parentId',
  'groupCloudId',
  'onConflict',
  '__proto__',
  'constructor',
  '',
  'operations',
  'map',
  '0',
  'x'.repeat(200),
]
const ODD_HEADS = [
  'content-disposition: form-data',
  'content-disposition: form-data; name',
  'content-disposition: attachment; filename="a.txt"',
  'content-disposition: form-data; name="file"; filename*=UTF-8\'\'%ff%fe',
  'content-disposition: form-data; name="file"; filename*=nonsense\'\'x',
  'x: y',
  '',
  'content-disposition: form-data; name="file"; filename="\ud800"',
]

/** A malformed form; `first` is the field that usually comes first. */
export function mangledForm(random: Random, first: string): { body: Buffer; type: string } {
  const boundary = 'x0x0x'
  const parts = Array.from({ length: random.between(0, 4) }, () => partOf(random, first))
  const whole = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  const body = Buffer.from(chance(random, 0.6) ? `${whole}--${boundary}--\r\n` : whole)
  const cut = chance(random, 0.15) ? body.subarray(0, random.between(0, body.length)) : body
  return { body: cut, type: chance(random, 0.1) ? oddType(random) : `multipart/form-data; boundary=${boundary}` }
}

function partOf(random: Random, first: string): string {
  const field = chance(random, 0.6) ? first : pick(random, FIELD_NAMES)
  const filename = pick(random, NAUGHTY).replace(/["\r\n]/g, '_')
  const head = chance(random, 0.25)
    ? pick(random, ODD_HEADS)
    : `content-disposition: form-data; name="${field}"${chance(random, 0.7) ? `; filename="${filename}"` : ''}`
  const type = chance(random, 0.3) ? `\r\ncontent-type: ${oddType(random)}` : ''
  return `${head}${type}\r\n\r\n${pick(random, NAUGHTY).slice(0, 1_000)}`
}
