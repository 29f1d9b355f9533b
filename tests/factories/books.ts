import yazl from 'yazl'

/** What of a book (EPUB) matters to a test. */
type BookParts = {
  readonly title?: string
  readonly authors?: readonly string[]
  /** The bodies of its chapters, in the order of reading. */
  readonly chapters?: readonly string[]
  /** A JPEG or PNG. */
  readonly cover?: Buffer
  /** More files, by their names within the ZIP; they replace those of the same name. */
  readonly files?: Readonly<Record<string, string | Buffer>>
}

const CONTAINER = `<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>`

/** The page of a chapter, as an EPUB 3 has it. */
const chapterPage = (body: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Page title</title><style>p { color: red }</style></head><body>${body}</body></html>`

/** An EPUB 3 with these parts. */
export function book({
  title = 'The Harbour Book',
  authors = ['Maren Ångström'],
  chapters = ['<h1>One</h1><p>It was a quay.</p>'],
  cover,
  files = {},
}: BookParts = {}): Promise<Buffer> {
  const pages = Object.fromEntries(
    chapters.map((body, index) => [`OEBPS/text/chapter ${index + 1}.xhtml`, chapterPage(body)]),
  )
  const items = chapters.map(
    (_, index) =>
      `<item id="c${index + 1}" href="text/chapter%20${index + 1}.xhtml" media-type="application/xhtml+xml"/>`,
  )
  const description = `<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title><dc:language>en</dc:language>
    ${authors.map((author) => `<dc:creator>${author}</dc:creator>`).join('')}</metadata>
  <manifest>${items.join('')}
    ${cover ? '<item id="front" href="images/front.jpg" media-type="image/jpeg" properties="cover-image"/>' : ''}</manifest>
  <spine>${chapters.map((_, index) => `<itemref idref="c${index + 1}"/>`).join('')}</spine>
</package>`
  return zipBook({
    'META-INF/container.xml': CONTAINER,
    'OEBPS/content.opf': description,
    ...pages,
    ...(cover && { 'OEBPS/images/front.jpg': cover }),
    ...files,
  })
}

/** A ZIP whose first entry names the type of a book, as it has to. */
export async function zipBook(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  zip.addBuffer(Buffer.from('application/epub+zip'), 'mimetype', { compress: false })
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** `META-INF/encryption.xml` of a book whose parts are encrypted with this method. */
export const encryption = (method: string, parts: readonly string[]): string =>
  `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">${parts
    .map(
      (part) =>
        `<enc:EncryptedData><enc:EncryptionMethod Algorithm="${method}"/><enc:CipherData><enc:CipherReference URI="${part}"/></enc:CipherData></enc:EncryptedData>`,
    )
    .join('')}</encryption>`
