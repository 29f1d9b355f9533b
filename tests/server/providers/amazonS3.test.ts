import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queryOf, sha256Hex, signedHeaders } from '../../../server/lib/s3/sign.ts'
import { parseXml, textOf } from '../../../server/lib/s3/xml.ts'
import { newFolders } from '../../../server/providers/amazon-s3/entry.ts'
import { s3ErrorCode } from '../../../server/providers/amazon-s3/errors.ts'
import { amazonS3Module } from '../../../server/providers/amazon-s3/module.ts'
import { partBytesFor } from '../../../server/providers/amazon-s3/multipart.ts'
import type { EntryRef, FormValues, SignIn } from '../../../server/providers/driver.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { call, rejection } from '../../conformance/kit.ts'

/** The example of Amazon's documentation of Signature Version 4. */
describe('a signature', () => {
  const key = {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  }
  const now = new Date('2013-05-24T00:00:00Z')
  const host = 'https://examplebucket.s3.amazonaws.com'

  it.each([
    ['GET', '/test.txt', { range: 'bytes=0-9' }, 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'],
    [
      'GET',
      `/?${queryOf({ prefix: 'J', 'max-keys': '2' })}`,
      {},
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
    ['GET', '/?lifecycle=', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ])('is the one of the documentation: %s %s', (method, path, headers, signature) => {
    const signed = signedHeaders({ method, url: new URL(host + path), headers, payload: sha256Hex('') }, key, now)
    expect(signed.authorization).toContain(`Signature=${signature}`)
  })
})

describe('XML', () => {
  it('is read with escaped texts, sections and namespaces', () => {
    const xml = parseXml(
      '<?xml version="1.0"?><s3:A xmlns:s3="x"><B>a &amp; b &#x1F389;</B><C><![CDATA[<&>]]></C><D/></s3:A>',
    )
    expect([xml.name, textOf(xml, 'B'), textOf(xml, 'C'), textOf(xml, 'D'), textOf(xml, 'E')]).toEqual([
      'A',
      'a & b 🎉',
      '<&>',
      '',
      null,
    ])
  })

  it.each([
    '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>',
    '<a>&b;</a>',
    '<a>&#x110000;</a>',
    '<a><b></a></b>',
    '<a>',
    '<a/><b/>',
    'text',
    '',
    '<a'.repeat(100_000),
    '<a>'.repeat(100_000),
  ])('is refused when it is not what S3 sends: %.40s', (text) => {
    expect(() => parseXml(text)).toThrow()
  })
})

it('has part sizes for every content up to 5 TiB', () => {
  const [MIB, TIB] = [1024 ** 2, 1024 ** 4]
  for (const size of [1, 8 * MIB, 80_000 * MIB, 80_000 * MIB + 1, TIB, 5 * TIB]) {
    const part = partBytesFor(size, 8 * MIB)
    expect(part % MIB).toBe(0)
    expect(Math.ceil(size / part)).toBeLessThanOrEqual(10_000)
    expect(part).toBeLessThanOrEqual(5 * 1024 * MIB)
  }
})

it('finds each folder once where refs come in order', () => {
  expect(newFolders(null, '/a/b/c.txt')).toEqual(['/a/', '/a/b/'])
  expect(newFolders('/a/b/c.txt', '/a/d/')).toEqual(['/a/d/'])
  expect(newFolders('/a/d/', '/b.txt')).toEqual([])
})

it.each([
  [403, 'InvalidAccessKeyId', 'AuthExpired'],
  [403, 'SignatureDoesNotMatch', 'AuthExpired'],
  [403, 'AccessDenied', 'Forbidden'],
  [403, 'RequestTimeTooSkewed', 'Transient'],
  [403, 'QuotaExceeded', 'QuotaExceeded'],
  [404, 'NoSuchKey', 'NotFound'],
  [404, 'NoSuchBucket', 'Forbidden'],
  [404, null, 'Transient'],
  [412, 'PreconditionFailed', 'Conflict'],
  [400, 'BadDigest', 'Transient'],
  [400, 'EntityTooLarge', 'TooLarge'],
  [400, 'KeyTooLongError', 'BadName'],
  [400, 'InvalidArgument', 'Permanent'],
  [503, 'SlowDown', 'RateLimited'],
  [500, null, 'Transient'],
  [501, 'NotImplemented', 'Transient'],
] as const)('%s %s is %s', (status, code, expected) => {
  expect(s3ErrorCode({ status, code })).toBe(expected)
})

describe('a service that is not what it seems', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const service = createServer((request, response) => {
    request.resume()
    response.setHeader('connection', 'close')
    answer(request, response)
  })
  let endpoint = ''
  beforeAll(async () => {
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  })
  afterAll(() => new Promise((done) => service.close(done)))

  const module = amazonS3Module({ http: createHttp({ emulatorUrl: null, guard: createHostGuard(true) }) })
  const open = () =>
    module.open({
      expiresAt: null,
      endpoint,
      region: 'r',
      bucket: 'bucket',
      style: 'path',
      accessKey: 'k',
      secretKey: 's',
    })
  const list = (content: string) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.end(`<ListBucketResult>${content}</ListBucketResult>`)
  const item = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`

  it.each([
    ['nothing', ''],
    ['a page', '<html><body>Welcome</body></html>'],
    ['no end', '<ListBucketResult></ListBucketResult>'],
    ['half of it', `<ListBucketResult><IsTruncated>false</IsTruncated>${item('a')}`],
    ['another list', '<ListAllMyBucketsResult><IsTruncated>false</IsTruncated></ListAllMyBucketsResult>'],
    ['entities', '<!DOCTYPE a [<!ENTITY b "b">]><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'],
  ])('has no empty list when it sends %s', async (_what, text) => {
    answer = (_request, response) => void response.end(text)
    await rejection(open().list(call(), open().root, null), 'Transient')
    await rejection(Promise.resolve(open().listAll?.(call(), null)), 'Transient')
  })

  it('has no endless list', async () => {
    answer = list(`<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>${item('a')}`)
    const page = await open().listAll?.(call(), null)
    await rejection(Promise.resolve(open().listAll?.(call(), page?.cursor ?? '')), 'Transient')
    await rejection(open().list(call(), open().root, 't'), 'Transient')
    answer = list('<IsTruncated>true</IsTruncated>')
    await rejection(open().list(call(), open().root, null), 'Transient')
  })

  it('shows no keys of other folders', async () => {
    answer = list(`<IsTruncated>false</IsTruncated>${item('elsewhere.txt')}`)
    await rejection(open().list(call(), '/folder/' as EntryRef, null), 'Transient')
  })

  it('cannot fill the memory', async () => {
    answer = (_request, response) => {
      const chunk = 'x'.repeat(64 * 1024)
      const fill = (): void => {
        while (response.write(chunk));
      }
      response.on('drain', fill)
      fill()
    }
    await rejection(open().list(call(), open().root, null), 'Permanent')
  })

  it('does not make entries disappear with a 404 of its own', async () => {
    answer = (_request, response) => void response.writeHead(404).end('<html>No such page</html>')
    await rejection(open().stat(call(), '/a.txt' as EntryRef), 'Transient')
  })

  it('can refuse one name without that the access is lost', async () => {
    let refusesAll = false
    answer = ({ url = '' }, response) => {
      if (!refusesAll && url.includes('list-type'))
        return list('<IsTruncated>false</IsTruncated>')({} as IncomingMessage, response)
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>')
    }
    await rejection(open().delete(call(), '/a b.txt' as EntryRef), 'Permanent')
    refusesAll = true
    await rejection(open().delete(call(), '/a b.txt' as EntryRef), 'AuthExpired')
  })

  it('can have another time', async () => {
    const times: string[] = []
    answer = ({ headers }, response) => {
      times.push(String(headers['x-amz-date']))
      const theirs = 'Mon, 01 Jan 2035 00:00:00 GMT'
      if (times.length > 1)
        return void response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
      response.writeHead(403, { date: theirs }).end('<Error><Code>RequestTimeTooSkewed</Code></Error>')
    }
    await open().list(call(), open().root, null)
    expect(times[1]).toMatch(/^20350101T0000/)
  })

  it('can report an error as a success', async () => {
    answer = ({ method, url = '' }, response) => {
      if (method === 'HEAD')
        response.writeHead(url.endsWith('/a.txt') ? 200 : 404, { etag: '"e"', 'content-length': '1' }).end()
      else if (method === 'GET') response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')
      else response.end('<Error><Code>SlowDown</Code></Error>')
    }
    const progress = { hash: '', save: async () => undefined }
    const entry = { parent: open().root, name: 'b.txt', size: 1, mimeType: null }
    await rejection(Promise.resolve(open().copy?.(call(), '/a.txt' as EntryRef, entry, progress)), 'RateLimited')
  })

  describe('the form', () => {
    const form = (module.signIn as Extract<SignIn, { by: 'FORM' }>).form
    const values = (): FormValues => ({
      service: 'other',
      endpoint,
      bucket: 'bucket',
      accessKey: 'key',
      secretKey: 'secret',
    })
    const error =
      (code: string, more = '') =>
      (_request: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(403).end(`<Error><Code>${code}</Code>${more}</Error>`)

    it.each([
      ['InvalidAccessKeyId', /does not know this access key/],
      ['SignatureDoesNotMatch', /do not belong together/],
      ['NoSuchBucket', /no bucket with this name/],
      ['AccessDenied', /may not list/],
    ])('says what is wrong: %s', async (code, text) => {
      answer = error(code)
      expect((await rejection(form.exchange(call(), values()), 'Forbidden')).detail.message).toMatch(text)
    })

    it('says that the address does not answer, or not like S3', async () => {
      const dead = { ...values(), endpoint: 'http://127.0.0.1:1' }
      expect((await rejection(form.exchange(call(), dead), 'Forbidden')).detail.message).toMatch(
        /^Nothing accepts connections at 127.0.0.1:1/,
      )
      answer = (_request, response) => void response.writeHead(404).end('<html></html>')
      expect((await rejection(form.exchange(call(), values()), 'Forbidden')).detail.message).toMatch(
        /does not answer like/,
      )
    })

    it('says that there is no right to write', async () => {
      answer = (request, response) => {
        if (request.method === 'GET') list('<IsTruncated>false</IsTruncated>')(request, response)
        else error('AccessDenied')(request, response)
      }
      expect((await rejection(form.exchange(call(), values()), 'Forbidden')).detail.message).toMatch(/may not write/)
    })

    it('refuses private addresses unless the server allows them', async () => {
      const strict = amazonS3Module({ http: createHttp({ emulatorUrl: null, guard: createHostGuard([]) }) })
      const strictForm = (strict.signIn as Extract<SignIn, { by: 'FORM' }>).form
      answer = list('<IsTruncated>false</IsTruncated>')
      const refusal = await rejection(strictForm.exchange(call(), values()), 'Forbidden')
      expect(refusal.detail.message).toMatch(/ALLOW_PRIVATE_HOSTS/)
    })

    it('follows the bucket to its region', async () => {
      const regions: string[] = []
      answer = (request, response) => {
        const region = /Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
        regions.push(region)
        if (region !== 'eu-north-1')
          return error('AuthorizationHeaderMalformed', '<Region>eu-north-1</Region>')(request, response)
        if (request.method === 'GET') return list('<IsTruncated>false</IsTruncated>')(request, response)
        response
          .writeHead(request.method === 'DELETE' ? 204 : 200, {
            etag: '"opaque"',
            'content-length': request.method === 'HEAD' ? '50' : '0',
          })
          .end()
      }
      const credentials = await form.exchange(call(), values())
      expect(regions[0]).toBe('us-east-1')
      expect(credentials).toMatchObject({ region: 'eu-north-1', etags: 'opaque', conditions: 'known' })
    })

    it.each([
      [{ service: 'b2' }, 'region'],
      [{ endpoint: 'https://a:b@example.com' }, 'endpoint'],
      [{ bucket: 'a/b' }, 'bucket'],
      [{ region: 'a b' }, 'region'],
      [{ folder: 'a/../b' }, 'folder'],
      [{ accessKey: 'ü' }, 'accessKey'],
      [{ capacity: '0' }, 'capacity'],
    ])('checks what was typed in: %o', (wrong, field) => {
      expect(form.check?.({ ...values(), ...wrong }).map((problem) => problem.field)).toEqual([field])
    })

    it('makes the address of the region for services where it can', () => {
      const given = { service: 'wasabi', region: 'eu-central-1', bucket: 'bucket', accessKey: 'k', secretKey: 's' }
      expect(form.check?.(given)).toEqual([])
    })

    it.each([
      ['b2', 'https://s3.eu-central-003.backblazeb2.com', []],
      ['wasabi', 'https://s3.eu-central-1.wasabisys.com/', []],
      ['b2', 'https://s3.example.org', ['region']],
      ['aws', 'https://s3.dualstack.eu-west-1.amazonaws.com', []],
    ])('%s with the endpoint %s needs no region if that names it', (service, endpoint, problems) => {
      const given = { service, endpoint, bucket: 'bucket', accessKey: 'k', secretKey: 's' }
      expect(form.check?.(given).map(({ field }) => field)).toEqual(problems)
    })
  })
})
