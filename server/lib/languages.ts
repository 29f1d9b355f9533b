/** The languages of the web client. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** How a language is written: the `dir` of its pages and mails. */
export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = { en: 'ltr', de: 'ltr' }

const COOKIE = /(?:^|;\s*)language=(\w+)(?:;|$)/
/** The longest that browsers keep a cookie. */
const LIFE_SECONDS = 400 * 24 * 60 * 60

export const isLanguage = (value: string | undefined): value is Language => LANGUAGES.some((known) => known === value)

/** `Set-Cookie` that remembers the choice for pages before sign-in; null forgets it. */
export function languageCookie(language: Language | null): string {
  const life = language === null ? 0 : LIFE_SECONDS
  return `language=${language ?? ''}; Path=/; SameSite=Lax; Max-Age=${life}`
}

/** The language of a page: the one that was chosen in this browser, or the first of the browser's own that there is. */
export function languageFor(headers: {
  readonly cookie?: string | undefined
  readonly 'accept-language'?: string | undefined
}): Language {
  const chosen = COOKIE.exec(headers.cookie ?? '')?.[1]
  if (isLanguage(chosen)) return chosen
  return accepted(headers['accept-language'] ?? '').find(isLanguage) ?? 'en'
}

/** The languages of an `Accept-Language` header, best first, without their regions. */
function accepted(header: string): string[] {
  return header
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';')
      const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find((each) => each !== undefined)
      return {
        language: tag.trim().split('-')[0]?.toLowerCase() ?? '',
        weight: weight === undefined ? 1 : Number(weight),
      }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ language }) => language)
}
