import { StreamLanguage, type StreamParser } from '@codemirror/language'
import { sCSS } from '@codemirror/legacy-modes/mode/css'
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript'
import { python } from '@codemirror/legacy-modes/mode/python'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { standardSQL } from '@codemirror/legacy-modes/mode/sql'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { html, xml } from '@codemirror/legacy-modes/mode/xml'
import { yaml } from '@codemirror/legacy-modes/mode/yaml'
import type { Extension } from '@codemirror/state'

/** By the end of the name. */
const MODES: readonly (readonly [RegExp, StreamParser<unknown>])[] = [
  [/\.(json|geojson)$/i, json],
  [/\.[cm]?jsx?$/i, javascript],
  [/\.[cm]?tsx?$/i, typescript],
  [/\.(css|scss|less)$/i, sCSS],
  [/\.html?$/i, html],
  [/\.(xml|svg)$/i, xml],
  [/\.ya?ml$/i, yaml],
  [/\.toml$/i, toml],
  [/\.py$/i, python],
  [/\.(sh|bash)$/i, shell],
  [/\.sql$/i, standardSQL],
]

/** The language of a code file; null: plain text. In one file, because each chunk adds to the list that every page loads. */
export function codeLanguage(name: string): Extension | null {
  const mode = MODES.find(([ending]) => ending.test(name))?.[1]
  return mode ? StreamLanguage.define(mode) : null
}
