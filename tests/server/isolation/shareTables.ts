import { newAddress } from '../shares/world.ts'
import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const json = (method: string, path: string, body: object): RestRequest => ({
  path,
  init: { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})
const plain = (method: string, path: string): RestRequest => ({ path, init: { method } })
/** Of anybody, from anywhere. */
const visit = (path: string): RestRequest => ({
  path: `/api/v1/shares/${path}`,
  init: { method: 'GET', headers: { 'x-forwarded-for': newAddress() } },
})

const linkVisit = (method: string, path: string, headers: Record<string, string> = {}): RestRequest => ({
  path: `/api/v1/upload-links/${path}`,
  init: {
    method,
    headers: {
      'x-forwarded-for': newAddress(),
      'tus-resumable': '1.0.0',
      ...(method === 'PATCH' && { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }),
      ...headers,
    },
  },
})

/** Operations that look at nobody: whoever has a live link may do them, so what is tried is one that has ended, and what is not behind one. */
export const VISITED: Table<RestRequest> = {
  'GET /api/v1/shares/{id}': { id: ({ endedShare }) => visit(endedShare) },
  'POST /api/v1/shares/{id}/unlock': {
    id: ({ endedShare }) => json('POST', `/api/v1/shares/${endedShare}/unlock`, { password: 'x' }),
  },
  'GET /api/v1/shares/{id}/files': {
    id: ({ endedShare }) => visit(`${endedShare}/files`),
    folderId: ({ file, own }) => visit(`${own.folderShare}/files?folderId=${file}`),
  },
  'GET /api/v1/upload-links/{id}': {
    id: ({ endedUploadLink }) => linkVisit('GET', endedUploadLink),
  },
  'POST /api/v1/upload-links/{id}/unlock': {
    id: ({ endedUploadLink }) => json('POST', `/api/v1/upload-links/${endedUploadLink}/unlock`, { password: 'x' }),
  },
  'POST /api/v1/upload-links/{id}/files': {
    id: ({ endedUploadLink }) => {
      const body = new FormData()
      body.set('file', new File(['x'], 'x.txt'))
      return { path: `/api/v1/upload-links/${endedUploadLink}/files`, init: { method: 'POST', body } }
    },
  },
  'POST /api/v1/upload-links/{id}/uploads': {
    id: ({ endedUploadLink }) =>
      linkVisit('POST', `${endedUploadLink}/uploads`, {
        'upload-length': '1',
        'upload-metadata': `filename ${Buffer.from('x.txt').toString('base64')}`,
      }),
  },
  ...Object.fromEntries(
    ['GET', 'HEAD', 'PATCH', 'DELETE'].map((method): [string, Table<RestRequest>[string]] => [
      `${method} /api/v1/upload-links/{id}/uploads/{uploadId}`,
      {
        id: ({ endedUploadLink, linkUpload }) => linkVisit(method, `${endedUploadLink}/uploads/${linkUpload}`),
        uploadId: ({ own, linkUpload }) => linkVisit(method, `${own.uploadLink}/uploads/${linkUpload}`),
      },
    ]),
  ),
  'GET /api/v1/shares/{id}/download': { id: ({ endedShare }) => visit(`${endedShare}/download`) },
  'GET /api/v1/shares/{id}/thumbnail': { id: ({ endedShare }) => visit(`${endedShare}/thumbnail`) },
  'GET /api/v1/shares/{id}/files/{fileId}/thumbnail': {
    id: ({ endedShare, file }) => visit(`${endedShare}/files/${file}/thumbnail`),
    fileId: ({ file, own }) => visit(`${own.folderShare}/files/${file}/thumbnail`),
  },
  'GET /api/v1/shares/{id}/files/{fileId}/download': {
    id: ({ endedShare, file }) => visit(`${endedShare}/files/${file}/download`),
    fileId: ({ file, own }) => visit(`${own.folderShare}/files/${file}/download`),
  },
}

/** Rows of the tables for shares. */
export const SHARES_REST: Table<RestRequest> = {
  ...VISITED,
  'GET /api/v1/upload-links': {},
  'POST /api/v1/upload-links': {
    folderId: ({ file }) => json('POST', '/api/v1/upload-links', { folderId: file, title: 'Photos' }),
  },
  'PATCH /api/v1/upload-links/{id}': {
    id: ({ uploadLink }) => json('PATCH', `/api/v1/upload-links/${uploadLink}`, { maxFiles: 5 }),
  },
  'DELETE /api/v1/upload-links/{id}': { id: ({ uploadLink }) => plain('DELETE', `/api/v1/upload-links/${uploadLink}`) },
  'GET /api/v1/shares': {},
  'POST /api/v1/shares': {
    fileId: ({ file }) => json('POST', '/api/v1/shares', { fileId: file }),
    uploadFileId: ({ copy, own }) => json('POST', '/api/v1/shares', { fileId: own.file, uploadFileId: copy }),
  },
  'PATCH /api/v1/shares/{id}': { id: ({ share }) => json('PATCH', `/api/v1/shares/${share}`, { maxDownloads: 5 }) },
  'DELETE /api/v1/shares/{id}': { id: ({ share }) => plain('DELETE', `/api/v1/shares/${share}`) },
  'POST /api/v1/files/{fileId}/share/{uploadFileId}': {
    fileId: ({ file, copy }) => json('POST', `/api/v1/files/${file}/share/${copy}`, {}),
    uploadFileId: ({ copy, own }) => json('POST', `/api/v1/files/${own.file}/share/${copy}`, {}),
  },
  'DELETE /api/v1/files/{fileId}/share/{uploadFileId}': {
    fileId: ({ file, copy }) => plain('DELETE', `/api/v1/files/${file}/share/${copy}`),
    uploadFileId: ({ copy, own }) => plain('DELETE', `/api/v1/files/${own.file}/share/${copy}`),
  },
}

const mutation = (name: string, input: Record<string, unknown>): GraphqlRequest => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
  return { query, variables: { input } }
}

export const SHARES_GRAPHQL: Table<GraphqlRequest> = {
  'Query.share': {
    id: ({ endedShare }) => ({
      query: 'query($id: ID!) { share(id: $id) { name needsPassword } }',
      variables: { id: endedShare },
    }),
  },
  'PublicShare.files': {
    folderId: ({ file, own }) => ({
      query: 'query($id: ID!, $folder: ID) { share(id: $id) { files(folderId: $folder) { edges { node { name } } } } }',
      variables: { id: own.folderShare, folder: file },
    }),
  },
  'PublicShare.photoMonths': {
    folderId: ({ file, own }) => ({
      query: 'query($id: ID!, $folder: ID) { share(id: $id) { photoMonths(folderId: $folder) { month } } }',
      variables: { id: own.folderShare, folder: file },
    }),
  },
  'Mutation.createShare': {
    'input.fileId': ({ file }) => mutation('createShare', { fileId: file }),
    'input.copyId': ({ copy, own }) => mutation('createShare', { fileId: own.file, copyId: copy }),
  },
  'Mutation.updateShare': { 'input.id': ({ share }) => mutation('updateShare', { id: share, maxDownloads: 5 }) },
  'Mutation.revokeShare': { 'input.id': ({ share }) => mutation('revokeShare', { id: share }) },
  'Mutation.createUploadLink': {
    'input.folderId': ({ file }) => mutation('createUploadLink', { folderId: file, title: 'Photos' }),
  },
  'Mutation.updateUploadLink': {
    'input.id': ({ uploadLink }) => mutation('updateUploadLink', { id: uploadLink, maxFiles: 5 }),
  },
  'Mutation.revokeUploadLink': { 'input.id': ({ uploadLink }) => mutation('revokeUploadLink', { id: uploadLink }) },
  'Mutation.unlockShare': {
    'input.id': ({ endedShare }) => mutation('unlockShare', { id: endedShare, password: 'x' }),
  },
  'Mutation.reportShare': {
    'input.id': ({ endedShare }) => mutation('reportShare', { id: endedShare, reason: 'OTHER' }),
  },
}
