/** Who is asking: made by the http layer from a live session, taken as the first argument by every service. */
export type Viewer = {
  readonly userId: string
  readonly sessionId: string
}
