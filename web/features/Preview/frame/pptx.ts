import { PPTXViewer } from 'pptxviewjs'
import { addStyle, runFrame, STAGE_CSS } from './frame.ts'
import type { FrameTask } from './protocol.ts'

const MOST_SLIDES = 200
const CSS = `${STAGE_CSS}
  main { display: grid; grid-template-columns: minmax(0, 1fr); justify-items: center; gap: 16px; padding: 16px; }
  canvas { width: min(100%, 960px) !important; height: auto !important; aspect-ratio: 16 / 9; background: var(--paper); box-shadow: 0 0 0 1px var(--line); border-radius: 4px; }
  .dark canvas { filter: brightness(0.87); }
`

/** The first slides are drawn at once, each other one when it comes near the window. */
runFrame<FrameTask>(async ({ bytes, texts }) => {
  addStyle(CSS)
  const viewer = new PPTXViewer({ slideSizeMode: 'fit' })
  await viewer.loadFile(bytes)
  const count = Math.min(viewer.getSlideCount(), MOST_SLIDES)
  if (count === 0) throw new Error('The presentation has no slide')
  const root = document.createElement('main')
  document.body.append(root)
  const slides = Array.from({ length: count }, (_, index) => root.appendChild(slideCanvas(index, texts[index] ?? '')))
  const draw = async (index: number) => {
    const canvas = slides[index]
    if (!canvas || canvas.dataset.drawn) return
    canvas.dataset.drawn = 'yes'
    await viewer.renderSlide(index, canvas)
    canvas.style.aspectRatio = `${canvas.width} / ${canvas.height}`
  }
  await draw(0)
  drawNear(slides, draw)
})

function slideCanvas(index: number, text: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = 1280
  canvas.height = 720
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', `Slide ${index + 1}: ${text || 'no text'}`)
  return canvas
}

/** One after the other: the library draws on one slide at a time. */
function drawNear(slides: readonly HTMLCanvasElement[], draw: (index: number) => Promise<void>): void {
  let queue = Promise.resolve()
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue
        watch.unobserve(target)
        queue = queue.then(() => draw(slides.indexOf(target as HTMLCanvasElement))).catch(() => undefined)
      }
    },
    // Without a root, the margin counts in frames of the same origin only.
    { root: document, rootMargin: '600px' },
  )
  for (const slide of slides) watch.observe(slide)
}
