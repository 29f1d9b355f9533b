/** Completes "The certificate of <host> …". */
const CERTIFICATE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'belongs to another name',
}

/** What no authority that Node knows has signed; the administrator can add its authority, or the certificate itself. */
const UNKNOWN_SIGNER: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'is signed by an unknown authority',
}

/** Of a server that speaks plain HTTP on the port. */
const NO_TLS = /^(?:EPROTO|ERR_SSL_)/

/**
 * Why there was no connection to a host that someone typed in, and what to do about it, as a sentence; null where the error does not
 * say it. `cause`: the error of the socket.
 */
export function connectionProblem(cause: unknown, host: string): string | null {
  const code = String((cause as { code?: unknown } | null | undefined)?.code)
  const reason = CERTIFICATE[code]
  if (reason !== undefined) return `The certificate of ${host} ${reason}, so nothing was sent to it.`
  const signer = UNKNOWN_SIGNER[code]
  if (signer !== undefined) {
    return `The certificate of ${host} ${signer}, so nothing was sent to it. The administrator can trust it with NODE_EXTRA_CA_CERTS.`
  }
  if (NO_TLS.test(code)) {
    return `There is no https at ${host}. Check the port, and whether the address has to begin with http://.`
  }
  if (code === 'ECONNRESET') {
    return `${host} ended the connection. Check the port, and whether the address has to begin with https://.`
  }
  return code === 'ECONNREFUSED' ? `Nothing accepts connections at ${host}. Check the address and the port.` : null
}
