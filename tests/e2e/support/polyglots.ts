/** Asks for this address when it runs, wherever that is. */
export const CANARY = '/canary-hit'

const RUN = `fetch('${CANARY}');globalThis.canary=1`
const SCRIPT = `<script>${RUN}</script>`
const HTML = `<!doctype html><html><body onload="${RUN}">${SCRIPT}<img src=x onerror="${RUN}"></body></html>`
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head>${SCRIPT}</head><body onload="${RUN}"/></html>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${RUN}">${SCRIPT}<rect width="9" height="9"/></svg>`
const MHTML = `From: nobody\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"; type="text/html"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://localhost/\r\n\r\n${HTML}\r\n--b--\r\n`
const XSLT = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><!DOCTYPE d [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]><d><xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html>${SCRIPT}</html></xsl:template></xsl:stylesheet></d>`
const PDF = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.launchURL\\("${CANARY}"\\))>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n${HTML}`

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000fffe', 'hex')
const MP4 = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')

export type Polyglot = { readonly name: string; readonly type: string; readonly bytes: Buffer }

const of = (name: string, type: string, ...parts: readonly (string | Buffer)[]): Polyglot => ({
  name,
  type,
  bytes: Buffer.concat(parts.map((part) => Buffer.from(part as string))),
})

/** Files that are two things at once, or call themselves another: as a page, each would run a script. */
export const POLYGLOTS: readonly Polyglot[] = [
  of('plain-page.html', 'text/html', HTML),
  of('late-page.htm', 'text/html', ' '.repeat(2000), HTML),
  of('claimed-image.html', 'image/png', HTML),
  of('html-as.png', 'image/png', HTML),
  of('html-as.jpg', 'image/jpeg', JPEG, HTML),
  of('html-as.mp4', 'video/mp4', MP4, HTML),
  of('html-as.wav', 'audio/wav', 'RIFF\u0024\0\0\0WAVE', HTML),
  of('html-as.ico', 'image/x-icon', Buffer.from([0, 0, 1, 0]), HTML),
  of('html-as.txt', 'text/plain', HTML),
  of('html-as.csv', 'text/csv', HTML),
  of('html-as.json', 'application/json', `{"a":"${HTML.replaceAll('"', '\\"')}"}`),
  of('html-as.pdf', 'application/pdf', HTML, PDF),
  of('pdf-with-html.pdf', 'application/pdf', PDF),
  of('vector.svg', 'image/svg+xml', SVG),
  of('vector-as.png', 'image/png', SVG),
  of('vector-as.xml', 'text/xml', `<?xml version="1.0"?>${SVG}`),
  of('strict.xhtml', 'application/xhtml+xml', XHTML),
  of('feed.xml', 'application/xml', `<?xml version="1.0"?><feed>${XHTML}</feed>`),
  of('styled.xml', 'text/xml', XSLT),
  of('archive.mht', 'multipart/related', MHTML),
  of('archive.mhtml', 'message/rfc822', MHTML),
  of('pixel.gif', 'image/gif', `GIF89a/*${'\0'.repeat(20)}*/=1;${RUN};//${HTML}`),
  of('chunk.png', 'image/png', PNG, HTML),
  of('module.js', 'text/javascript', RUN),
  of('notes.md', 'text/markdown', `# Notes\n\n${HTML}\n\n[x](javascript:${RUN})\n\n![x](x" onerror="${RUN})\n`),
  of('seven-bits.txt', 'text/html; charset=utf-7', '+ADw-script+AD4-fetch(+ACc-/canary-hit+ACc-)+ADw-/script+AD4-'),
  of('two-bytes.txt', 'text/html', Buffer.from([0xff, 0xfe]), Buffer.from(HTML, 'utf16le')),
  of('no-ending', '', HTML),
]
