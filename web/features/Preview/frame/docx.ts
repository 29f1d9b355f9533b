import { renderAsync } from 'docx-preview'
import { addStyle, runFrame, STAGE_CSS } from './frame.ts'
import type { FrameTask } from './protocol.ts'

const CSS = `${STAGE_CSS}
  .docx-wrapper { display: flex; flex-flow: column; align-items: center; padding: 16px; gap: 16px; background: none !important; }
  .docx-wrapper > section.docx { margin: 0 !important; background: var(--paper) !important; box-shadow: 0 0 0 1px var(--line) !important; }
`

runFrame<FrameTask>(async ({ bytes }) => {
  const root = document.createElement('main')
  document.body.append(root)
  // Of a hidden HTML part ("altChunk") nothing is shown: it would be a page within the document.
  await renderAsync(bytes, root, undefined, { useBase64URL: true, renderAltChunks: false, inWrapper: true })
  addStyle(CSS)
  disarmLinks(root)
  const pages = [...root.querySelectorAll<HTMLElement>('section.docx')]
  if (pages.length === 0) throw new Error('The document has no page')
  const fit = () => {
    const widest = Math.max(...pages.map((page) => page.offsetWidth))
    root.style.setProperty('zoom', String(Math.min(1, window.innerWidth / (widest + 32))))
  }
  fit()
  window.addEventListener('resize', fit)
})

/** Links within the document work; others are text with their address as a tooltip, because the frame can open nothing. */
function disarmLinks(root: HTMLElement): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href]')) {
    const href = link.getAttribute('href') ?? ''
    if (href.startsWith('#')) continue
    link.removeAttribute('href')
    link.title = href
  }
}
