import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Where classes are global: text helpers, the tokens' `dark`, and Tailwind's utilities. */
const BASE = 'styles/base.css'
/** Global without a rule in base.css: the theme, and utilities of Tailwind. */
const GLOBAL = ['dark', 'light', 'contents', 'ms-auto']

type Style = { readonly path: string; readonly text: string }

/** Every stylesheet and every component below a folder, as text. */
function readStyles(folder: string): Style[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(css|tsx?)$/.test(path) && !path.startsWith('__generated__'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/**
 * What is against the way styles are kept, one sentence each: a class outside a CSS module or base.css, a module whose name is taken, a class
 * that is used and missing or is there and unused.
 */
export function judgeStyles(files: readonly Style[]): string[] {
  const modules = files.filter(({ path }) => path.endsWith('.module.css'))
  const components = files.filter(({ path }) => /\.tsx?$/.test(path))
  const base = files.find(({ path }) => path === BASE)?.text ?? ''
  const globals = new Set([...GLOBAL, ...classesOf(base)])
  const classes = new Map(modules.map(({ path, text }) => [path, classesOf(text)]))
  const named = new Map(modules.map(({ path }) => [moduleName(path), path]))
  const used = new Map(modules.map(({ path }) => [path, new Set<string>()]))
  const problems: string[] = []

  for (const { path, text } of files) {
    if (!path.endsWith('.css') || path.endsWith('.module.css') || path === BASE) continue
    for (const name of classesOf(text))
      if (!globals.has(name)) problems.push(`${path}: .${name} is global. Use a CSS module.`)
  }
  for (const { path, text } of modules) {
    if (named.get(moduleName(path)) !== path) problems.push(`${path}: another module is called ${moduleName(path)}.`)
    for (const [, name = ''] of text.matchAll(/:global\(\.([\w-]+)\)/g)) {
      const [owner = '', local = ''] = name.split('_')
      const target = named.get(owner)
      if (target && classes.get(target)?.has(local)) used.get(target)?.add(local)
      else if (!globals.has(name)) problems.push(`${path}: no style is called ${name}.`)
    }
  }
  for (const { path, text } of components) {
    for (const [, variable = '', spec = ''] of text.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)) {
      const target = join(path, '..', spec)
      const isOpen = new RegExp(`\\b${variable}\\[`).test(text)
      for (const [, name = ''] of text.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))) {
        used.get(target)?.add(name)
        if (!classes.get(target)?.has(name)) problems.push(`${path}: ${basename(target)} has no .${name}.`)
      }
      if (isOpen) for (const name of classes.get(target) ?? []) used.get(target)?.add(name)
    }
  }
  for (const [path, names] of classes) {
    for (const name of names) if (!used.get(path)?.has(name)) problems.push(`${path}: .${name} is used nowhere.`)
  }
  return problems
}

/** The stylesheets of the web client. */
export const judgeWebStyles = (root: string): string[] =>
  existsSync(join(root, 'web')) ? judgeStyles(readStyles(join(root, 'web'))) : []

const moduleName = (path: string): string => basename(path, '.module.css')

/** Classes that a stylesheet has rules for, without those of other files that it only mentions. */
function classesOf(css: string): Set<string> {
  const rules = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/:global\([^)]*\)/g, '')
    .replace(/"[^"]*"/g, '')
  const selectors = [...rules.matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector)
    .filter((text) => !text.includes('@'))
  return new Set(
    selectors.flatMap((selector) => [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)),
  )
}
