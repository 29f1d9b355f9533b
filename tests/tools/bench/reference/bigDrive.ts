import { request as ask, createServer } from 'node:http'

// An emulator in front of the emulators: it lists an account of any size at once, and passes on everything else. It keeps nothing of
// the account, as each entry follows from its number. POST /__entries { count } says how many accounts have from then on, and
// GET /__calls how many calls there were since the last GET, by path.

const emulator = new URL(process.env.EMULATOR ?? '')
const ROOT = 'big-root'
const FOLDER = 'application/vnd.google-apps.folder'
/** So many entries for one folder. */
const PER_FOLDER = 50
/** Folders are listed in a separate order: a prime that is no factor of any number of folders here. */
const SCATTER = 7_919
const TIME = Date.UTC(2020, 0, 1)
const TYPES = ['image/jpeg', 'application/pdf', 'text/plain', 'video/mp4'] as const
const ENDINGS = ['jpg', 'pdf', 'txt', 'mp4'] as const
const RIGHTS =
  '{"canDownload":true,"canListChildren":true,"canEdit":true,"canAddChildren":true,"canRename":true,"canMoveItemWithinDrive":true,"canTrash":true,"canShare":true}'

let count = 0
let calls: Record<string, number> = {}

const idOf = (kind: 'd' | 'f', number: number) => `1${kind}${String(number).padStart(31, '0')}`
const timeOf = (number: number) => new Date(TIME + number * 60_000).toISOString()

function folderOf(number: number): string {
  const times = `"createdTime":"${timeOf(number)}","modifiedTime":"${timeOf(number)}"`
  const parent = number < 20 ? ROOT : idOf('d', Math.floor(number / 20) - 1)
  return `{"id":"${idOf('d', number)}","name":"Folder ${number}","mimeType":"${FOLDER}",${times},"trashed":false,"parents":["${parent}"],"version":"3","webViewLink":"https://drive.google.com/drive/folders/${idOf('d', number)}","capabilities":${RIGHTS}}`
}

function fileOf(number: number, folders: number): string {
  const times = `"createdTime":"${timeOf(number)}","modifiedTime":"${timeOf(number + 9)}"`
  const name = `Report ${String((number * 7_919) % count).padStart(7, '0')} of the studio.${ENDINGS[number % 4]}`
  const hash = number.toString(16).padStart(32, 'a')
  return `{"id":"${idOf('f', number)}","name":"${name}","mimeType":"${TYPES[number % 4]}","size":"${(number * 7_919) % 10_000_000}","md5Checksum":"${hash}",${times},"trashed":false,"parents":["${idOf('d', number % folders)}"],"version":"7","headRevisionId":"0B${hash}","webViewLink":"https://drive.google.com/file/d/${idOf('f', number)}/view?usp=drivesdk","capabilities":${RIGHTS}}`
}

function page(query: URLSearchParams): string {
  const isFolders = query.get('q')?.startsWith(`mimeType = '${FOLDER}'`) === true
  const folders = Math.ceil(count / PER_FOLDER)
  const total = isFolders ? folders : count - folders
  const from = Number(query.get('pageToken') ?? 0)
  const to = Math.min(from + Number(query.get('pageSize')), total)
  const files: string[] = []
  for (let at = from; at < to; at += 1) files.push(isFolders ? folderOf((at * SCATTER) % folders) : fileOf(at, folders))
  const next = to < total ? `"nextPageToken":"${to}",` : ''
  return `{${next}"incompleteSearch":false,"files":[${files.join(',')}]}`
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const json = (text: string) => response.setHeader('content-type', 'application/json; charset=UTF-8').end(text)
  if (url.pathname.startsWith('/@')) {
    const path = url.pathname.split('/').slice(2).join('/')
    calls[path] = (calls[path] ?? 0) + 1
  }
  if (url.pathname === '/__calls') {
    json(JSON.stringify(calls))
    calls = {}
  } else if (url.pathname === '/__entries') {
    count = Number(url.searchParams.get('count'))
    json('{}')
  } else if (count > 0 && url.pathname === '/@www.googleapis.com/drive/v3/files/root') {
    json(`{"id":"${ROOT}","name":"My Drive","mimeType":"${FOLDER}","trashed":false,"capabilities":${RIGHTS}}`)
  } else if (count > 0 && request.method === 'GET' && url.pathname === '/@www.googleapis.com/drive/v3/files') {
    json(page(url.searchParams))
  } else {
    const { method, headers } = request
    const passed = ask(
      { host: emulator.hostname, port: emulator.port, path: request.url, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }
})
server.listen(Number(process.env.PORT), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
