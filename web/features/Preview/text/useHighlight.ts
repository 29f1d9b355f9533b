import { useEffect, useState } from 'react'
import { runWorker } from '../runWorker.ts'
import type { CodeTask, CodeToken } from './codeWorker.ts'

/** Larger files stay in one colour: each token is an element. */
const MOST_CHARACTERS = 256 * 1024
const MOST_MS = 5_000

const LANGUAGES: Readonly<Record<string, string>> = {
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  py: 'python',
  rb: 'ruby',
  go: 'go',
  rs: 'rust',
  java: 'java',
  kt: 'kotlin',
  c: 'c',
  h: 'c',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  php: 'php',
  swift: 'swift',
  lua: 'lua',
  pl: 'perl',
  r: 'r',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  sql: 'sql',
  css: 'css',
  scss: 'scss',
  less: 'less',
  html: 'xml',
  htm: 'xml',
  xml: 'xml',
  svg: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  json: 'json',
  graphql: 'graphql',
  diff: 'diff',
  patch: 'diff',
  mk: 'makefile',
}

/** The language of a file, by the end of its name; null: it is not highlighted. */
export function languageOf(name: string): string | null {
  if (/^makefile$/i.test(name)) return 'makefile'
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(LANGUAGES, ending) ? (LANGUAGES[ending] ?? null) : null
}

/** The text in coloured parts; null: not yet, or it stays as it is. */
export function useHighlight(name: string, text: string): readonly CodeToken[] | null {
  const [done, setDone] = useState<{ readonly text: string; readonly tokens: readonly CodeToken[] } | null>(null)
  const language = languageOf(name)
  useEffect(() => {
    if (language === null || text.length > MOST_CHARACTERS || typeof Worker === 'undefined') return
    const leaving = new AbortController()
    const task: CodeTask = { text, language }
    const worker = new Worker(new URL('./codeWorker.ts', import.meta.url))
    runWorker<readonly CodeToken[]>(worker, task, leaving.signal, MOST_MS).then(
      (tokens) => setDone({ text, tokens }),
      // Without colours the text is as readable.
      () => undefined,
    )
    return () => leaving.abort()
  }, [language, text])
  return done?.text === text ? done.tokens : null
}
