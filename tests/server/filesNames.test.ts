import { describe, expect, it } from 'vitest'
import { InvalidInputError } from '../../server/domain/errors.ts'
import { nameKey, numberedName, searchKey, sortKey, validateName } from '../../server/domain/files/tree/names.ts'

const bytes = (text: string) => Buffer.byteLength(text)

describe('validateName', () => {
  it.each([
    ['plain.txt', 'plain.txt'],
    [' leading and trailing ', ' leading and trailing '],
    ['e\u0301', '\u00e9'],
    ['報告書 😀.pdf', '報告書 😀.pdf'],
    ['con', 'con'],
    ['a\\b', 'a\\b'],
    ['...', '...'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('takes %j', (name, expected) => expect(validateName(name)).toBe(expected))

  it.each([
    '',
    '   ',
    '.',
    '..',
    'a/b',
    'a\0b',
    'a\nb',
    'a\u007f',
    'a\u0085',
    'lone \ud800',
    '\udc00 lone',
    'x'.repeat(256),
    'é'.repeat(128),
  ])('refuses %j at path name', (name) => {
    expect(() => validateName(name)).toThrow(InvalidInputError)
    expect(() => validateName(name)).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ path: 'name' })] }),
    )
  })
})

describe('nameKey', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ﬁle', 'FILE'],
    ['ＦＵＬＬ', 'full'],
    ['É', 'e\u0301'],
    ['İ', 'i\u0307'],
    ['ǆ', 'ǅ'],
  ])('%j is the same name as %j', (one, other) => expect(nameKey(one)).toBe(nameKey(other)))

  it.each([
    ['resume', 'résumé'],
    ['a', 'a '],
    ['file1', 'file01'],
  ])('%j is another name than %j', (one, other) => expect(nameKey(one)).not.toBe(nameKey(other)))

  it('is stable for every character: the key of a key is that key', () => {
    const unstable: string[] = []
    for (let code = 1; code < 0x30000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const key = nameKey(String.fromCodePoint(code))
      if (nameKey(key) !== key) unstable.push(code.toString(16))
    }
    expect(unstable).toEqual([])
  })

  it('stays within an index entry and unique for the longest names', () => {
    const long = 'ﷺ'.repeat(85)
    expect(bytes(nameKey(long))).toBeLessThan(1025)
    expect(nameKey(long)).not.toBe(nameKey('ﷺ'.repeat(84)))
  })
})

describe('sortKey', () => {
  const inOrder = (names: string[]) =>
    [...names].sort((a, b) => Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b))))

  it.each([
    [['file1', 'file2', 'file10', 'file100']],
    [['a', 'a 2', 'a 10', 'ab']],
    [['1', '2', '10', '010000', 'a']],
    [['Anton', 'berta', 'Über', 'Volker', 'zoë']],
    [['v1.2.9', 'v1.2.10', 'v1.10.0']],
    [['x9', `x${'1'.repeat(30)}`, `x${'2'.repeat(30)}`, `x${'1'.repeat(200)}`]],
    [['ａ１', 'a2', 'Ａ１０']],
  ])('sorts %j as people do', (names) => {
    expect(inOrder([...names].reverse())).toEqual(names)
  })

  it('is bounded', () => expect(bytes(sortKey('ﷺ'.repeat(85)))).toBeLessThan(1025))
})

describe('searchKey', () => {
  it.each([
    ['Crème Brûlée.TXT', 'creme brulee.txt'],
    ['Łódź', 'lodz'],
    ['SMØRREBRØD', 'smorrebrod'],
    ['Straße', 'strasse'],
    ['報', 'ZFIDB'],
    ['a😀', 'aZNIDNZNOAA'],
  ])('%j is searched as %j', (name, key) => expect(searchKey(name)).toBe(key))

  it.each([
    ['ΟΔΌΣ', 'οδοσ'],
    ['Ёлка', 'елка'],
    ['❤️', '❤'],
    ['ｶﾞ', 'ガ'],
  ])('%j is found as %j', (one, other) => expect(searchKey(one)).toBe(searchKey(other)))

  it.each([
    ['हिन्दी', 'हन्द'],
    ['ガ', 'カ'],
    ['Z', 'zfidb'],
  ])('%j is not %j', (one, other) => expect(searchKey(one)).not.toBe(searchKey(other)))

  it.each([
    ['ΣΑΣΑ', 'ΣΑΣ'],
    ['年間報告書.pdf', '報告'],
    ['Отчёт', 'чет'],
  ])('%j contains %j', (name, query) => expect(searchKey(name)).toContain(searchKey(query)))

  it('has only ASCII, which PostgreSQL indexes whatever its locale', () => {
    expect(searchKey('हिन्दी 報告 Ёлка 😀 é')).toMatch(/^[\x20-\x7e]+$/)
  })
})

describe('numberedName', () => {
  it.each([
    ['a.txt', 2, 'FILE', 'a (2).txt'],
    ['a.tar.gz', 3, 'FILE', 'a (3).tar.gz'],
    ['A.TAR.XZ', 3, 'FILE', 'A (3).TAR.XZ'],
    ['.bashrc', 2, 'FILE', '.bashrc (2)'],
    ['.tar.gz', 2, 'FILE', '.tar (2).gz'],
    ['no extension', 2, 'FILE', 'no extension (2)'],
    ['Mr. Smith', 2, 'FILE', 'Mr. Smith (2)'],
    ['v1.2', 2, 'FOLDER', 'v1.2 (2)'],
    ['a (2).txt', 2, 'FILE', 'a (2) (2).txt'],
  ] as const)('%j number %d of a %s is %j', (name, number, kind, expected) =>
    expect(numberedName(name, number, kind)).toBe(expected),
  )

  it('stays within 255 bytes without cutting a character', () => {
    const name = numberedName(`${'😀'.repeat(62)}.jpeg`, 12)
    expect(bytes(name)).toBeLessThanOrEqual(255)
    expect(name).toMatch(/^(😀)+ \(12\)\.jpeg$/u)
  })
})
