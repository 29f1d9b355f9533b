/** An error as sabre/dav answers it. */
export class DavProblem extends Error {
  override readonly name = 'DavProblem'
  constructor(
    readonly status: number,
    readonly exception: string,
  ) {
    super(exception)
  }

  get body(): string {
    return `<?xml version="1.0" encoding="utf-8"?>\n<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
  <s:exception>${this.exception}</s:exception>\n  <s:message>It was refused.</s:message>\n</d:error>\n`
  }
}

const sabre = (status: number, name: string) => new DavProblem(status, `Sabre\\DAV\\Exception\\${name}`)

export const notAuthenticated = () => sabre(401, 'NotAuthenticated')
export const notFound = () => sabre(404, 'NotFound')
export const conflict = () => sabre(409, 'Conflict')
export const notAllowed = () => sabre(405, 'MethodNotAllowed')
export const exists = () => sabre(412, 'PreconditionFailed')
export const badRequest = () => sabre(400, 'BadRequest')
export const forbidden = () => sabre(403, 'Forbidden')
export const full = () => sabre(507, 'InsufficientStorage')
export const badRange = () => sabre(416, 'RequestedRangeNotSatisfiable')
export const badName = () => new DavProblem(400, 'OCA\\DAV\\Connector\\Sabre\\Exception\\InvalidPath')
