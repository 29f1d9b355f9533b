/** Escaped markup. */
export type Html = { readonly html: string }

type Value = Html | string | number | null | undefined | false | readonly Value[]

/** Markup from a template: values are escaped unless they are Html. null, undefined and false are omitted. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((text, part, index) => text + toHtml(values[index - 1]) + part) }
}

function toHtml(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  if ('html' in value) return value.html
  return value.map(toHtml).join('')
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
