/** An answer that is not a success, in the wire shape of the service. */
export class BoxRefusal extends Error {
  override readonly name = 'BoxRefusal'
  constructor(
    readonly status: number,
    readonly code: string,
    readonly context: object | null = null,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code)
  }

  get body(): object {
    return {
      type: 'error',
      status: this.status,
      code: this.code,
      ...(this.context && { context_info: this.context }),
      help_url: 'https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors/',
      message: this.code.replaceAll('_', ' '),
      request_id: 'emulated',
    }
  }
}

export const notFound = (): BoxRefusal => new BoxRefusal(404, 'not_found')
export const badRequest = (reason: string): BoxRefusal => new BoxRefusal(400, 'bad_request', { errors: [{ reason }] })

/** An error of the token endpoint. */
export class GrantRefusal extends Error {
  override readonly name = 'GrantRefusal'
  constructor(
    readonly error: string,
    readonly description: string,
    readonly status = 400,
  ) {
    super(error)
  }
}
