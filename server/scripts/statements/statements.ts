import { createEvaluator } from './evaluate.ts'
import { type Node, readSources, type Source, walk } from './source.ts'

/** A statement as the server sends it. `part`: it is also a fragment of a larger one, and need not be whole by itself. */
export type Statement = { readonly place: string; readonly text: string; readonly part: boolean }

/** The beginning of a statement that PostgreSQL can prepare; the others (BEGIN, LISTEN, SET, CREATE) name no columns. */
const BEGINNING =
  /^[\s(]*(?:select\b|insert into\b|update \S+(?: \w+)?\s+set\b|delete from\b|with (?:recursive )?\w+(?: ?\([^)]*\))? as\b|merge into\b)/

/**
 * Every SQL statement in the TypeScript files below `folder` that can be read without running them, in all its alternatives.
 * `composed`: places (`file:line`) of statements that are put together at run time.
 */
export function readStatements(root: string, folder: string): { statements: Statement[]; composed: string[] } {
  const sources = readSources(root, folder)
  const evaluator = createEvaluator(sources)
  const found: { place: string; texts: readonly string[]; node: Node }[] = []
  const unread: { place: string; node: Node }[] = []
  for (const source of sources.values()) {
    walk(source.program, (node, parent) => {
      if (!/^(?:Literal|TemplateLiteral|BinaryExpression|CallExpression|TaggedTemplateExpression)$/.test(node.type))
        return
      if (parent?.type === 'TaggedTemplateExpression' || parent?.type === 'TSLiteralType') return
      const texts = evaluator.textsOf(source, node)
      const place = placeOf(source, node.start)
      if (texts?.some((text) => BEGINNING.test(text))) found.push({ place, texts, node })
      else if (texts === null && node.type === 'TemplateLiteral' && looksLikeSql(node)) unread.push({ place, node })
    })
  }
  return {
    statements: found.flatMap(({ place, texts, node }) =>
      texts.map((text) => ({ place, text, part: evaluator.parts.has(node) })),
    ),
    composed: unread.flatMap(({ place, node }) => (evaluator.parts.has(node) ? [] : [place])),
  }
}

/** Read with a name in place of what is only known at run time, which may also be the clause before the statement. */
function looksLikeSql(node: Node): boolean {
  const text = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('x')
  return BEGINNING.test(text) || BEGINNING.test(text.replace(/^x/, ''))
}

function placeOf({ file, code }: Source, start: number): string {
  return `${file}:${code.slice(0, start).split('\n').length}`
}
