export const STYLE = ''
