import { CODE, MARKUP, SQL } from './naughtyCode.ts'
import { EMOJI, INVISIBLE, SCRIPTS } from './naughtyScripts.ts'

const SHEETS = ['=1+1', '=cmd|calc!A0', '+1+1', '-1+1', '@SUM(1)', '=HYPERLINK("x","y")', '\u202d=1+1']

const RESERVED = [
  'CON',
  'PRN',
  'AUX',
  'NUL',
  'COM1',
  'LPT9',
  'CONIN$',
  'desktop.ini',
  'Thumbs.db',
  '.DS_Store',
  '.htaccess',
  '.git',
]
const RESERVED_NAMES = RESERVED.flatMap((name) => [name, `${name}.txt`, name.toLowerCase()])

const ENDINGS = [
  'exe',
  'tar.gz',
  'php',
  'html',
  'svg',
  'js',
  'html.txt',
  'jpg.exe',
  'PDF',
  '7z',
  'ﬁle',
  'tar.gz.',
  'x'.repeat(60),
]
const FILES_LIKE = ENDINGS.map((ending) => `report.${ending}`)

const LENGTHS = [
  'a',
  'x'.repeat(100),
  'x'.repeat(254),
  'x'.repeat(255),
  'é'.repeat(127),
  '語'.repeat(85),
  'ﷺ'.repeat(80),
  '\u0344'.repeat(60),
  'a '.repeat(100).trim(),
  'W'.repeat(200),
  '.'.repeat(200),
]

/** Invalid names. */
export const REFUSED_NAMES: readonly string[] = [
  '',
  ' ',
  '\t',
  '\u3000',
  '.',
  '..',
  '/',
  '../../../server',
  '../../etc/passwd',
  '/etc/passwd',
  'a/b',
  'a\0b',
  '\0',
  'a\nb',
  'a\rb',
  'a\r\nSet-Cookie: a=b',
  'a\tb',
  '\u0007bell',
  '\u001b[31mred',
  'a\u007f',
  'a\u0085b',
  '\ud800',
  'a\udc00b',
  '\udfff\ud800',
  'x'.repeat(256),
  'x'.repeat(70_000),
  'é'.repeat(200),
  '<script>globalThis.canary=1</script>/',
]

/** Valid names, however unusual. */
export const ODD_NAMES: readonly string[] = [
  ...SCRIPTS,
  ...INVISIBLE,
  ...EMOJI,
  ...MARKUP.filter((text) => !text.includes('/')),
  ...CODE,
  ...SQL,
  ...SHEETS,
  ...RESERVED_NAMES,
  ...FILES_LIKE,
  ...LENGTHS,
]

export const NAUGHTY: readonly string[] = [
  ...ODD_NAMES,
  ...MARKUP.filter((text) => text.includes('/')),
  ...REFUSED_NAMES,
]
