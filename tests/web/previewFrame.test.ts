import { expect, test } from 'vitest'
import { partName } from '../../web/features/Preview/frame/book.ts'
import { frameAnswer } from '../../web/features/Preview/frame/protocol.ts'

const question = { kind: 'read', id: 1, start: 0, end: 10 }

test.each([
  [{ kind: 'ready' }],
  [{ kind: 'shown' }],
  [{ kind: 'failed' }],
  [{ kind: 'protected' }],
  [{ kind: 'key', key: 'Escape' }],
  [question],
])('a frame may say %j', (said) => {
  expect(frameAnswer({ ...said, more: 'is left out' })).toEqual(said)
})

test.each([
  [null],
  ['ready'],
  [{}],
  [{ kind: 'constructor' }],
  [{ kind: 'key', key: 'Enter' }],
  [{ ...question, start: -1 }],
  [{ ...question, end: 1.5 }],
  [{ ...question, end: Number.NaN }],
  [{ ...question, id: '1' }],
  [{ ...question, start: undefined }],
])('a frame may not say %j', (said) => {
  expect(frameAnswer(said)).toBeNull()
})

test.each([
  ['OEBPS/text/one.xhtml', 'two.xhtml#note', { name: 'OEBPS/text/two.xhtml', fragment: 'note' }],
  ['OEBPS/text/one.xhtml', '../images/a%20b.png', { name: 'OEBPS/images/a b.png', fragment: '' }],
  ['OEBPS/50% #1.xhtml', '#here', { name: 'OEBPS/50% #1.xhtml', fragment: 'here' }],
  ['a.xhtml', '../../../etc/passwd', { name: 'etc/passwd', fragment: '' }],
  ['a.xhtml', 'https://elsewhere.example/a.png', null],
  ['a.xhtml', '//elsewhere.example/a.png', null],
  ['a.xhtml', 'javascript:alert(1)', null],
  ['a.xhtml', 'data:text/html,x', null],
  ['a.xhtml', '%zz', null],
])('within %s, %s is a part of the book or nothing', (from, href, part) => {
  expect(partName(from, href)).toEqual(part)
})
