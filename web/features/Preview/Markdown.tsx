import { marked, type Token, type Tokens } from 'marked'
import { createElement, Fragment, type ReactNode } from 'react'
import checkboxStyles from '../../ui/Checkbox.module.css'
import { messages } from './messages.ts'
import styles from './Preview.module.css'

/** Markdown as React elements made from its tokens: HTML in it is shown as the text it is, pictures as links. */
export function Markdown({ text }: { text: string }) {
  return (
    <article className={styles.prose} dir="auto">
      {render(marked.lexer(text, { gfm: true }))}
    </article>
  )
}

function render(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, index) => <Fragment key={index}>{renderToken(token)}</Fragment>)
}

type Renderer = (token: never) => ReactNode

const RENDERERS: Readonly<Record<string, Renderer>> = {
  space: () => null,
  def: () => null,
  br: () => <br />,
  hr: () => <hr />,
  // The page has its own h1 and h2.
  heading: ({ depth, tokens }: Tokens.Heading) => createElement(`h${Math.min(depth + 2, 6)}`, null, render(tokens)),
  paragraph: ({ tokens }: Tokens.Paragraph) => <p>{render(tokens)}</p>,
  strong: ({ tokens }: Tokens.Strong) => <strong>{render(tokens)}</strong>,
  em: ({ tokens }: Tokens.Em) => <em>{render(tokens)}</em>,
  del: ({ tokens }: Tokens.Del) => <del>{render(tokens)}</del>,
  codespan: ({ text }: Tokens.Codespan) => <code>{text}</code>,
  code: ({ text }: Tokens.Code) => (
    <pre>
      <code>{text}</code>
    </pre>
  ),
  blockquote: ({ tokens }: Tokens.Blockquote) => <blockquote>{render(tokens)}</blockquote>,
  link: ({ href, tokens }: Tokens.Link) => <SafeLink href={href}>{render(tokens)}</SafeLink>,
  // Loading it would disclose the reader to its server.
  image: ({ href, text }: Tokens.Image) => <SafeLink href={href}>{text || href}</SafeLink>,
  list: renderList,
  table: renderTable,
  text: (token: Tokens.Text) => (token.tokens ? render(token.tokens) : token.text),
  escape: ({ text }: Tokens.Escape) => text,
  checkbox: () => null,
}

function renderToken(token: Token): ReactNode {
  const renderer = RENDERERS[token.type] as ((token: Token) => ReactNode) | undefined
  return renderer ? renderer(token) : token.raw
}

function renderList({ ordered, start, items }: Tokens.List): ReactNode {
  const entries = items.map((item, index) => (
    <li key={index} className={item.task ? styles.task : undefined}>
      {item.task && (
        <input
          type="checkbox"
          className={checkboxStyles.check}
          aria-label={item.checked ? messages.taskDone : messages.taskOpen}
          checked={item.checked ?? false}
          disabled
          readOnly
        />
      )}
      {render(item.tokens)}
    </li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{entries}</ol> : <ul>{entries}</ul>
}

function renderTable({ header, rows }: Tokens.Table): ReactNode {
  const cells = (row: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    row.map((cell, index) => createElement(tag, { key: index }, render(cell.tokens)))
  return (
    <table>
      <thead>
        <tr>{cells(header, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}

/** Only http(s) and mailto links: no scripts, no addresses of this server. */
function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return <span>{children}</span>
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
