import type { Page } from 'playwright-core'

/** What browsers may be able to record. */
const TYPES = ['video/webm;codecs=vp8', 'video/webm;codecs=vp9', 'video/mp4;codecs=avc1.42E01E', 'video/webm']

export type Film = { readonly extension: string; readonly bytes: Buffer }

/** Records a short film in the browser of this page for each codec that it has; different for each `seed`. */
export async function recordFilms(page: Page, seed: number): Promise<Film[]> {
  const found = await page.evaluate(recordAll, { types: TYPES, seed })
  return found.map(({ type, base64 }) => ({
    extension: type.startsWith('video/mp4') ? '.mp4' : '.webm',
    bytes: Buffer.from(base64, 'base64'),
  }))
}

/** Runs in the browser. */
async function recordAll({ types, seed }: { types: readonly string[]; seed: number }) {
  const films: { type: string; base64: string }[] = []
  for (const type of types.filter((each) => MediaRecorder.isTypeSupported(each))) {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: type })
    const chunks: Blob[] = []
    recorder.ondataavailable = ({ data }) => chunks.push(data)
    const isStopped = new Promise((resolve) => {
      recorder.onstop = resolve
    })
    recorder.start()
    for (let frame = 0; frame < 12; frame += 1) {
      context.fillStyle = `hsl(${(seed * 37 + frame * 5) % 360} 70% 50%)`
      context.fillRect(0, 0, 320, 180)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    recorder.stop()
    await isStopped
    const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    films.push({ type, base64: btoa(text) })
  }
  return films
}
