import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' }

export type PseudoClient = {
  /** Shows this client in place of the server's own, which is asked for everything else. @returns the address of that */
  serve(server: string): Promise<string>
  close(): void
}

/** Builds the web client in a language of tests (web/languages/pseudo.ts). The server and its answers stay as they are. */
export async function buildPseudoClient(mode: 'pseudo' | 'pseudo-arabic'): Promise<PseudoClient> {
  const folder = mkdtempSync(join(tmpdir(), `skypool-${mode}-`))
  const vite = join('node_modules', 'vite', 'bin', 'vite.js')
  await promisify(execFile)(process.execPath, [
    ...[vite, 'build', '--config', 'web/vite.config.ts', '--logLevel', 'warn'],
    ...['--mode', mode, '--outDir', folder],
  ])
  const pageName = readdirSync(folder).find((name) => name.endsWith('.html'))
  if (!pageName) throw new Error(`The client in ${mode} has no page`)
  const page = readFileSync(join(folder, pageName))
  const opened: Server[] = []
  return {
    async serve(server) {
      const inFront = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '/', server)
        const file = join(folder, pathname)
        if (pathname.startsWith('/assets/') && existsSync(file)) {
          const type = TYPES[extname(file)] ?? 'application/octet-stream'
          // As from the server: the browser keeps what it has read and compiled.
          response.setHeader('cache-control', 'public, max-age=31536000, immutable')
          response.setHeader('content-type', type).end(readFileSync(file))
        } else if (request.headers['sec-fetch-dest'] === 'document' && !pathname.includes('.')) {
          response.setHeader('content-type', 'text/html; charset=utf-8').end(page)
        } else passOn(request, response, server)
      }).listen(0, '127.0.0.1')
      await once(inFront, 'listening')
      opened.push(inFront)
      return `http://127.0.0.1:${(inFront.address() as AddressInfo).port}`
    },
    close() {
      for (const each of opened) each.closeAllConnections()
      for (const each of opened) each.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The Host stays the browser's: the server compares it with the Origin. */
function passOn(asked: IncomingMessage, answer: ServerResponse, server: string): void {
  const { method, url, headers } = asked
  const passed = request(server + url, { ...(method && { method }), headers }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers)
    answer.flushHeaders()
    given.pipe(answer)
    given.on('error', () => answer.destroy())
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  asked.pipe(passed)
}

/**
 * Runs in the page. Each text that people see or hear and that is not in the brackets of the pseudo-language, and each that
 * is glued from several. `own`: names that users or products have.
 */
export function findsIn(own: readonly string[]): string[] {
  const finds = new Set<string>()
  /** Names, dates, numbers and units, which are written by Intl or are the same in all languages. */
  const NEUTRAL =
    /\b(?:alt\+T|[\da-f]{6,}(?:…[\da-f]+)?|[A-Z]+(?:_[A-Z]+)+|(?:image|text|application|audio|video)\/[\w.+-]+|\d+[\d.,:]*|[KMGT]?B|Bytes|px|ms|min|AM|PM|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)[a-z]*|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|at|ago|in|on|now|to(?:day|morrow)|yesterday|(?:second|minute|hour|day|week|month|year)s?|last|next)\b/giu
  const check = (text: string, where: string) => {
    let rest = text
    for (const name of [...own].sort((a, b) => b.length - a.length)) rest = rest.replaceAll(name, ' ')
    let before = ''
    while (before !== rest) {
      before = rest
      rest = rest.replace(/⟦[^⟦⟧]*⟧/g, '·')
    }
    if (/\p{L}{2}/u.test(rest.replace(NEUTRAL, ' ')))
      finds.add(`${where}: not translated: ${JSON.stringify(text.slice(0, 160))}`)
  }
  /** Brackets with nothing between them, outside of any other: a sentence in pieces. */
  const checkGlue = (text: string, where: string) => {
    let depth = 0
    let last = ''
    let closed: string | null = null
    for (const letter of text) {
      if (letter === '⟦') {
        if (depth === 0 && closed !== null && !/[.!?…:]$/.test(closed) && last.trim() === '') {
          finds.add(`${where}: glued: ${JSON.stringify(text.slice(0, 160))}`)
        }
        depth += 1
        last = ''
      } else if (letter === '⟧') {
        depth -= 1
        if (depth === 0) closed = last
        last = ''
      } else last += letter
    }
  }
  const isSeen = (element: Element) => {
    const hidden = element.closest(
      '[aria-hidden=true], [hidden], script, style, noscript, template, .cm-content, pre, code, time',
    )
    return hidden === null && element.checkVisibility({ visibilityProperty: true })
  }
  /** Texts of inline elements are parts of one sentence: they are collected until a block or a gap in the layout ends it. */
  const isInline = (element: Element) => /^(?:inline|contents)$/.test(getComputedStyle(element).display)
  /** A text whose first sentence is shown as its heading. */
  const isOneText = (element: Element) => element.closest('[data-one-text]') !== null
  const walk = (element: Element): void => {
    let run = ''
    const flush = () => {
      check(run, element.tagName.toLowerCase())
      checkGlue(run, element.tagName.toLowerCase())
      run = ''
    }
    const gather = (parent: Element) => {
      for (const node of parent.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) run += isSeen(parent) ? (node.textContent ?? '') : ''
        else if (!(node instanceof Element)) continue
        else if (isOneText(parent) || (isInline(node) && !/flex|grid/.test(getComputedStyle(parent).display)))
          gather(node)
        else {
          flush()
          walk(node)
        }
      }
    }
    gather(element)
    flush()
  }
  // The editor draws into a shadow root.
  const shadows = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])
  for (const element of [document.body, ...shadows.flatMap(({ children }) => [...children])]) walk(element)
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description', 'aria-valuetext']) {
    for (const element of [document, ...shadows].flatMap((root) => [...root.querySelectorAll(`[${name}]`)])) {
      const value = element.getAttribute(name) ?? ''
      if (element.closest('[aria-hidden=true], time') || value.trim() === '') continue
      check(value, `${element.tagName.toLowerCase()}[${name}]`)
      checkGlue(value, `${element.tagName.toLowerCase()}[${name}]`)
    }
  }
  check(document.title, 'title')
  return [...finds]
}
