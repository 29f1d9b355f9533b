import { describe, expect, it } from 'vitest'
import { createDrafts } from '../../web/features/Editor/drafts.ts'
import { isEditable } from '../../web/features/Editor/editable.ts'
import { type Format, formatText } from '../../web/features/Editor/formatting.ts'
import { copyName } from '../../web/features/Editor/messages.ts'
import { decodeForEditing, encodeText, isWritable } from '../../web/features/Editor/textFormat.ts'
import { forgetTransfers } from '../../web/features/Transfers/resumeStore.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('the bytes of a text', () => {
  it.each([
    ['', 'LF', false],
    ['one\ntwo\n', 'LF', false],
    ['one\r\ntwo\r\n', 'CRLF', false],
    ['\uFEFFone\r\ntwo', 'CRLF', true],
    ['\uFEFF\uFEFFtwo marks', 'LF', true],
    ['one\r\ntwo\nthree', 'mixed', false],
    ['one\rtwo', 'mixed', false],
  ] as const)('stay the same: %j', (content, lineEnd, hasMark) => {
    const { text, format } = decodeForEditing(bytesOf(content))
    expect(format).toEqual({ encoding: 'UTF-8', lineEnd, hasMark })
    expect([...encodeText(text, format)]).toEqual([...bytesOf(content)])
    expect(text.includes('\r')).toBe(lineEnd === 'mixed')
  })

  it('are not written where they are not UTF-8', () => {
    const utf16 = decodeForEditing(new Uint8Array([0xff, 0xfe, 0x41, 0x00]))
    const latin = decodeForEditing(new Uint8Array([0x47, 0x72, 0xfc]))
    expect([utf16.text, isWritable(utf16.format)]).toEqual(['A', false])
    expect([latin.text, isWritable(latin.format)]).toEqual(['Grü', false])
  })
})

describe('formatting', () => {
  /** "a[b]c" is abc with b selected. */
  const format = (kind: Format, marked: string) => {
    const from = marked.indexOf('[')
    const text = marked.replace('[', '').replace('|]', '')
    const to = marked.indexOf('|]') - 1
    const edit = formatText(kind, text, { from, to })
    const after = text.slice(0, edit.from) + edit.insert + text.slice(edit.to)
    return [after, after.slice(Math.min(edit.anchor, edit.head), Math.max(edit.anchor, edit.head))]
  }

  it.each([
    ['bold', 'a [word|] b', 'a **word** b', 'word'],
    ['bold', 'a **[word|]** b', 'a word b', 'word'],
    ['italic', '[|]', '**', ''],
    ['code', '[x|]', '`x`', 'x'],
    ['heading', 'one\n[t|]wo', 'one\n## two', ''],
    ['heading', '# [t|]wo', 'two', ''],
    ['list', '[one\ntwo|]', '- one\n- two', '- one\n- two'],
    ['list', '[- one\n- two|]', 'one\ntwo', 'one\ntwo'],
    ['tasks', '[one|]', '- [ ] one', ''],
    ['quote', '[one|]', '> one', ''],
    ['link', 'see [this|]', 'see [this](https://)', 'https://'],
    ['image', '[|]', '![text](https://)', 'https://'],
  ] as const)('%s of %j', (kind, before, after, selected) => {
    expect(format(kind, before)).toEqual([after, selected])
  })

  it('begins a table on a line of its own', () => {
    const [text, selected] = format('table', 'one[|]')
    expect(text).toMatch(/^one\n\n\| Column \|/)
    expect(selected).toBe('Column')
  })
})

describe('the editor is offered', () => {
  const file = { kind: 'FILE', name: 'a.md', category: 'TEXT', mimeType: 'text/markdown', size: 10, rights: null }
  it.each([
    [{}, true],
    [{ size: 0 }, true],
    [{ size: 2 * 1024 * 1024 }, true],
    [{ size: 2 * 1024 * 1024 + 1 }, false],
    [{ size: null }, false],
    [{ rights: { read: true } }, false],
    [{ kind: 'FOLDER', name: 'a' }, false],
    [{ name: 'a.json', mimeType: 'application/json' }, true],
    [{ name: 'a.csv', mimeType: 'text/csv', category: 'SPREADSHEET' }, true],
    [{ name: 'clip.ts', mimeType: 'video/mp2t', category: 'VIDEO' }, false],
    [{ name: 'a.png', mimeType: 'image/png', category: 'IMAGE' }, false],
    [{ name: 'a.svg', mimeType: 'image/svg+xml', category: 'IMAGE' }, true],
    [{ name: 'a.docx', mimeType: null, category: 'DOCUMENT' }, false],
  ])('for %j: %s', (patch, offered) => expect(isEditable({ ...file, ...patch })).toBe(offered))
})

describe('unsaved text', () => {
  const draft = { text: 'mine', base: '"1"', at: 1 }
  const storageOf = (overrides: Partial<Storage> = {}): Storage => {
    const map = new Map<string, string>()
    return {
      getItem: (key: string) => map.get(key) ?? null,
      setItem: (key: string, value: string) => void map.set(key, value),
      removeItem: (key: string) => void map.delete(key),
      key: (index: number) => [...map.keys()][index] ?? null,
      get length() {
        return map.size
      },
      clear: () => map.clear(),
      ...overrides,
    }
  }

  it('is kept by user and file until it is forgotten or somebody signs out', () => {
    const storage = storageOf()
    const mine = createDrafts('u1', storage)
    expect(mine.keep('f1', draft)).toBe(true)
    expect([mine.read('f1'), mine.read('f2'), createDrafts('u2', storage).read('f1')]).toEqual([draft, null, null])
    mine.forget('f1')
    expect(mine.read('f1')).toBeNull()
    mine.keep('f1', draft)
    forgetTransfers(storage)
    expect(storage.length).toBe(0)
  })

  it('is not kept where there is no room', () => {
    const refuse = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    expect(createDrafts('u1', storageOf({ setItem: refuse })).keep('f1', draft)).toBe(false)
    expect(createDrafts('u1', storageOf()).keep('f1', { ...draft, text: 'x'.repeat(2_500_001) })).toBe(false)
  })

  it('that something else wrote is ignored', () => {
    const storage = storageOf({ getItem: () => '{"text":1}' })
    expect(createDrafts('u1', storage).read('f1')).toBeNull()
    expect(createDrafts('u1', storageOf({ getItem: () => 'no JSON' })).read('f1')).toBeNull()
  })
})

it('names a copy', () => {
  expect([copyName('Brief.md'), copyName('Makefile')]).toEqual(['Brief (my copy).md', 'Makefile (my copy)'])
})
