/** The longest side of the largest thumbnail. */
const SIDE = 640
const TYPE = 'image/webp'
const QUALITY = 0.8
/** A film that has not shown a frame by then gets no picture. */
const PATIENCE_MS = 15_000
/** Where in the film the frame is: many begin with black. */
const PLACE = 0.1

/** Seconds after the end of every film. */
const BEYOND = 1e9

type Picture = { readonly blob: Blob; readonly durationMs: number | null }

/** Decoding takes much of a device: one after the other. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Makes a picture of a film or a HEIC image that was uploaded, and sends it. Where this browser cannot decode it, nothing is sent: its tile
 * has an icon.
 * @throws Error when it cannot be made or sent; nothing depends on it
 */
export function sendBrowserPicture(fileId: string, file: File): Promise<void> {
  const sent = last.then(() => makeAndSend(fileId, file))
  last = sent.catch(() => undefined)
  return sent
}

async function makeAndSend(fileId: string, file: File): Promise<void> {
  const { blob, durationMs } = isImage(file) ? await pictureOfImage(file) : await frameOf(file)
  const query = new URLSearchParams({ size: String(file.size) })
  if (durationMs !== null) query.set('durationMs', String(durationMs))
  const answer = await fetch(`/api/v1/files/${encodeURIComponent(fileId)}/thumbnail?${query}`, {
    method: 'PUT',
    headers: { 'content-type': blob.type },
    body: blob,
  })
  if (!answer.ok) throw new Error(`The picture of a file was refused: ${answer.status}`)
}

const isImage = ({ name, type }: File): boolean => type.startsWith('image/') || /\.hei[cf]$/i.test(name)

async function pictureOfImage(file: File): Promise<Picture> {
  const image = await createImageBitmap(file)
  try {
    return { blob: await drawn(image, image.width, image.height), durationMs: null }
  } finally {
    image.close()
  }
}

async function frameOf(file: File): Promise<Picture> {
  const video = document.createElement('video')
  const url = URL.createObjectURL(file)
  try {
    Object.assign(video, { muted: true, playsInline: true, preload: 'auto' })
    const isReady = happened(video, 'loadeddata')
    video.src = url
    await isReady
    // Recordings of browsers say their length only when their end is looked for.
    if (video.duration === Number.POSITIVE_INFINITY) await seek(video, BEYOND)
    const { duration } = video
    const isKnown = Number.isFinite(duration)
    await seek(video, isKnown ? duration * PLACE : 0)
    const durationMs = isKnown ? Math.round(duration * 1000) : null
    return { blob: await drawn(video, video.videoWidth, video.videoHeight), durationMs }
  } finally {
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  const isSeeked = happened(video, 'seeked')
  video.currentTime = seconds
  await isSeeked
}

function happened(video: HTMLVideoElement, event: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The film shows no frame.')), PATIENCE_MS)
    const end = (finish: () => void) => () => {
      clearTimeout(timer)
      finish()
    }
    video.addEventListener(event, end(resolve), { once: true })
    video.addEventListener(
      'error',
      end(() => reject(new Error('This browser cannot decode the film.'))),
      { once: true },
    )
  })
}

async function drawn(source: CanvasImageSource, width: number, height: number): Promise<Blob> {
  // Sound alone, in a file for films.
  if (width === 0 || height === 0) throw new Error('There is nothing to see.')
  const scale = Math.min(1, SIDE / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (!context) throw new Error('There is no canvas.')
  context.drawImage(source, 0, 0, canvas.width, canvas.height)
  const blob = await encoded(canvas, TYPE)
  // Browsers without a WebP encoder send PNG instead, which is much larger.
  return blob.type === TYPE ? blob : encoded(canvas, 'image/jpeg')
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The frame cannot be read.'))), type, QUALITY),
  )
}
