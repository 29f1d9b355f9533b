import pg from 'pg'

/** pg's table of parsers, in the form in which a connection takes its own. */
type TypeParsers = NonNullable<pg.ClientConfig['types']>

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

/** `2026-11-22 11:37:10.123+00`: what PostgreSQL sends while its time zone is UTC, with up to six digits after the point. */
const SHORTEST = 22
const LONGEST = 29

/** pg's own parsers, but for timestamps: a page of a list is two hundred of them, and pg's takes five times as long. */
export const TYPE_PARSERS: TypeParsers = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary' ? parseTimestamp : pg.types.getTypeParser(oid, format),
}

/** A Date, or ±Infinity, as pg makes of a `timestamptz`; what is in another time zone or era is left to pg. */
export function parseTimestamp(text: string): Date | number {
  const usual = text.length >= SHORTEST && text.length <= LONGEST && text.endsWith('+00') && text[4] === '-'
  // Date.UTC takes the years before 100 for the last century's.
  if (!usual || text[0] === '0') return parseAny(text)
  const day = Date.UTC(number(text, 0, 4), number(text, 5, 7) - 1, number(text, 8, 10))
  const seconds = number(text, 11, 13) * 3600 + number(text, 14, 16) * 60 + number(text, 17, 19)
  return new Date(day + seconds * 1000 + milliseconds(text))
}

/** The first three digits after the point; zeros at the end are not sent. */
function milliseconds(text: string): number {
  const end = Math.min(text.length - '+00'.length, 23)
  return end <= 20 ? 0 : number(text, 20, end) * 10 ** (23 - end)
}

function number(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) value = value * 10 + text.charCodeAt(at) - 48
  return value
}
