import type { Random } from '../crashTest/random.ts'
import { NAUGHTY } from './naughty.ts'

/** One of them, chosen by the seed. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random.between(0, items.length - 1)]
  if (item === undefined && items.length === 0) throw new Error('There is nothing to pick from.')
  return item as Item
}

export function chance(random: Random, probability: number): boolean {
  return random.next() < probability
}

/** JSON texts for values that no field expects; texts, because JavaScript cannot represent some of them. */
const ODD_VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e400',
  '-1e400',
  '9223372036854775808',
  '-9223372036854775809',
  '9007199254740993',
  '1e-7',
  '2147483648',
  '[]',
  '[[]]',
  '[null]',
  '["a",1,{}]',
  '{}',
  '{"$ne":null}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"length":5}',
  '{"toString":"x"}',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '""',
  '" "',
  '"\\u202e"',
  '"NaN"',
  '"2026-02-30T25:61:61Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"-000001-01-01T00:00:00Z"',
  `"${'x'.repeat(5_000)}"`,
  `"${'\u{1f600}'.repeat(300)}"`,
]

/** JSON of a value that no client should send. */
export function oddJson(random: Random): string {
  const roll = random.next()
  if (roll < 0.35) return JSON.stringify(pick(random, NAUGHTY))
  if (roll < 0.37) return deep(random)
  if (roll < 0.39) return `[${Array(random.between(1_000, 12_000)).fill('"x"').join()}]`
  if (roll < 0.41) return `"${'y'.repeat(random.between(10_000, 200_000))}"`
  return pick(random, ODD_VALUES)
}

function deep(random: Random): string {
  const levels = random.between(100, 5_000)
  return chance(random, 0.5)
    ? `${'['.repeat(levels)}${']'.repeat(levels)}`
    : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
}

/** Bodies that are not JSON, or not the expected JSON. */
const ODD_BODIES = [
  '',
  '{',
  '}',
  '[]',
  'null',
  '0',
  '"text"',
  'NaN',
  '{"a":1,}',
  "{'a':1}",
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"a":"\\u12"}',
  '\ufeff{}',
  '{}{}',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  'a=1&b=2',
  `${'['.repeat(100_000)}`,
  `{"a":${'9'.repeat(10_000)}}`,
]
const ODD_BYTES = [
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
  Buffer.alloc(1000),
]

export function oddBody(random: Random): Buffer {
  return chance(random, 0.2) ? pick(random, ODD_BYTES) : Buffer.from(pick(random, ODD_BODIES))
}

const ODD_TYPES = [
  '',
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/offset+octet-stream',
  'application/json; charset=utf-16',
  'application/json;',
  'application/json\t; x',
  'APPLICATION/JSON',
  'application/jsonx',
  'application/json, text/plain',
  'application/graphql',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/mixed; boundary=x',
  '*/*',
  ';',
]

export const oddType = (random: Random): string => pick(random, ODD_TYPES)

/** Parts of addresses, percent-encoded or broken on purpose. */
const ODD_PARTS = [
  '%00',
  '%0d%0a',
  '%zz',
  '%',
  '%e0%80',
  '%c0%ae%c0%ae',
  '%ed%a0%80',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '*',
  '__proto__',
  'constructor',
  'undefined',
  '-1',
  '%7B%22%24ne%22%3Anull%7D',
  'a'.repeat(300),
]

export function oddPart(random: Random): string {
  return chance(random, 0.4) ? pick(random, ODD_PARTS) : encoded(pick(random, NAUGHTY).slice(0, 500))
}

/** Like encodeURIComponent, which does not accept lone surrogates. */
export function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
}

/** As a header can contain it. */
export function headerText(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 4_000)
}
