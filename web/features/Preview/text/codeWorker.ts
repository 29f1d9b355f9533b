import hljs from 'highlight.js/lib/common'
import type { WorkerAnswer } from '../runWorker.ts'

/** A stretch of code and what it is; null: nothing that has a colour. */
export type CodeToken = readonly [kind: string | null, text: string]
export type CodeTask = { readonly text: string; readonly language: string }

/** Runs in a worker: highlighting takes seconds for some files. */
addEventListener('message', ({ data: { text, language } }: MessageEvent<CodeTask>) => {
  const known = hljs.getLanguage(language)
  const message: WorkerAnswer<readonly CodeToken[]> = known
    ? { value: tokensOf(hljs.highlight(text, { language, ignoreIllegals: true }).value) }
    : { value: [[null, text]] }
  postMessage(message)
})

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** The library answers in HTML of nested spans with escaped text. Of nested ones the innermost counts. */
function tokensOf(html: string): CodeToken[] {
  const tokens: CodeToken[] = []
  const open: string[] = []
  for (const [, kind, close, text] of html.matchAll(/<span class="hljs-([\w-]+)[^"]*">|(<\/span>)|([^<]+)/g)) {
    if (kind !== undefined) open.push(kind)
    else if (close !== undefined) open.pop()
    else tokens.push([open.at(-1) ?? null, unescapeText(text ?? '')])
  }
  return tokens
}

const unescapeText = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')
