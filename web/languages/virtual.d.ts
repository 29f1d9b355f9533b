declare module 'virtual:server-sentences' {
  const sentences: readonly (readonly [english: string, translated: string])[]
  export default sentences
}
