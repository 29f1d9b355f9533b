type FieldError = {
  readonly resource: string
  readonly code: string
  readonly field?: string
  readonly message?: string
}

/** An answer that is not a success, in the wire shape of the service. */
export class GithubRefusal extends Error {
  override readonly name = 'GithubRefusal'
  constructor(
    readonly status: number,
    message: string,
    readonly errors: readonly FieldError[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }

  get body(): object {
    return {
      message: this.message,
      ...(this.errors.length > 0 && { errors: this.errors }),
      documentation_url: 'https://docs.github.com/rest',
      status: String(this.status),
    }
  }
}

export const notFound = (): GithubRefusal => new GithubRefusal(404, 'Not Found')
export const badCredentials = (): GithubRefusal => new GithubRefusal(401, 'Bad credentials')
export const forbidden = (message: string): GithubRefusal => new GithubRefusal(403, message)

export function invalid(resource: string, error: Omit<FieldError, 'resource'>): GithubRefusal {
  return new GithubRefusal(422, 'Validation Failed', [{ resource, ...error }])
}

/** An error of the token endpoint, which answers with 200. */
export class GrantRefusal extends Error {
  override readonly name = 'GrantRefusal'
  constructor(
    readonly error: string,
    readonly description: string,
  ) {
    super(error)
  }
}
