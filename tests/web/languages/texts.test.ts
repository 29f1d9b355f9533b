import { expect, test } from 'vitest'
import { translateSource } from '../../../web/languages/texts.ts'

const texts: string[] = []
/** The code of these tests writes `€{` for the placeholders of templates, which are not meant for the tests' own strings. */
const placeholders = (code: string) => code.replaceAll('€{', '${')

/** The source in a language whose texts are `german`, and otherwise in capitals. */
function translate(code: string, german: Record<string, string> = {}, file = 'screens/X/X.tsx'): string {
  texts.length = 0
  return translateSource(placeholders(code), file, {
    locale: 'de',
    readModule: (specifier) =>
      specifier === './counted.ts'
        ? placeholders(
            "export const counted = (count: number, noun: string) => `€{count} €{noun}€{count === 1 ? '' : 's'}`",
          )
        : null,
    translate: (text) => {
      texts.push(text)
      return german[text] ?? text.toUpperCase()
    },
  })
}

test('the children of an element are one text with placeholders, which a translation can reorder', () => {
  const code = 'const a = <p>Used <b>{size}</b> of {format(total)}</p>'
  const out = translate(code, { 'Used {size} of {total}': 'Von {total} sind {size} belegt' })
  expect(texts).toEqual(['Used {size} of {total}'])
  expect(out).toBe('const a = <p>{"Von "}{format(total)}{" sind "}<b>{size}</b>{" belegt"}</p>')
})

test('words in an element within a sentence are part of the text', () => {
  const out = translate('const a = <p>I accept the <Link to="/terms">terms</Link>.</p>', {
    'I accept the <0>terms</0>.': 'Ich nehme die <0>Bedingungen</0> an.',
  })
  expect(out).toBe('const a = <p>{"Ich nehme die "}<Link to="/terms">{"Bedingungen"}</Link>{" an."}</p>')
})

test('each form that a condition gives a sentence is a text', () => {
  const code = "const a = (n: number) => `€{n} file€{n === 1 ? ' is' : 's are'} here, €{n === 1 ? 'it' : 'they'} stay`"
  translate(code)
  expect(texts).toEqual(['{n} file is here, it stay', '{n} files are here, they stay'])
})

test('a function of the file, or of another, that puts words together is taken apart', () => {
  const own = "const many = (n: number, one: string) => `€{n.toLocaleString()} €{one}€{n === 1 ? '' : 's'}`\n"
  const code = `import { counted } from './counted.ts'\n${own}const a = \`Moved €{many(files, 'file')} and €{counted(all, 'day')}\``
  translate(code)
  expect(texts).toEqual([
    'Moved {files} file and {all} day',
    'Moved {files} file and {all} days',
    'Moved {files} files and {all} day',
    'Moved {files} files and {all} days',
  ])
})

test('names, styles, addresses and what is compared stay as they are', () => {
  const code = `
    const a = <div className="some class" id="The id" style={{ font: 'Some Font' }}>{kind === 'Some kind' && <i />}</div>
    const b = document.querySelector('button, a')
    switch (key) { case 'Arrow Left': break }
    type T = 'Some type'
    const q = graphql\`query Some { viewer }\``
  expect(translate(code)).toBe(code)
  expect(texts).toEqual([])
})

test('attributes and properties that people read are texts, in whatever expression', () => {
  translate(`const a = <Button aria-label={busy ? 'wait' : \`Delete €{name}\`} hint={x ?? 'none at all'} name="q" />
    const item = { id: 'Some id', label: 'rename', onSelect: () => toast('Saved') }`)
  expect(texts).toEqual(['wait', 'Delete {name}', 'none at all', 'rename', 'Saved'])
})

test('in files of messages every string is a text', () => {
  translate("export const messages = { a: 'one', b: (n: string) => `of €{n}` }", {}, 'screens/X/messages.ts')
  expect(texts).toEqual(['one', 'of {n}'])
})

test('numbers and dates are formatted for the language', () => {
  const code = "const a = n.toLocaleString() + m.toLocaleString('en') + new Intl.ListFormat('en').format(x)"
  expect(translate(code)).toBe(
    'const a = n.toLocaleString("de") + m.toLocaleString("de") + new Intl.ListFormat("de").format(x)',
  )
  expect(translate('const f = new Intl.DateTimeFormat(locale, options)')).toBe(
    'const f = new Intl.DateTimeFormat((locale ?? "de"), options)',
  )
})

test('an icon before a text is no part of it', () => {
  expect(translate('const a = <Button><Icon icon={X} /> Save</Button>', { Save: 'Sichern' })).toContain('{" Sichern"}')
  expect(texts).toEqual(['Save'])
})
