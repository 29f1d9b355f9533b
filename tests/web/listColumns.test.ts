import { describe, expect, test } from 'vitest'
import { columnsText, readWidths } from '../../web/screens/Files/list/columnWidths.ts'
import { hasFilters, listKeyOf, NO_FILTERS, readUrlState, writeUrlState } from '../../web/screens/Files/urlState.ts'

describe('columns', () => {
  test('have their usual widths without a choice', () => {
    for (const text of [null, '', 'size', ';;1,2', ';;100,100,9000', ';;a,b,c']) {
      expect(readWidths(text)).toEqual([232, 152, 104])
    }
  })

  test('are read as they were stored, hidden ones too', () => {
    const widths = [200, -152, 90]
    expect(readWidths(columnsText(widths))).toEqual(widths)
  })

  test('that are hidden have no track, and the name has what is left', () => {
    expect(columnsText([200, -152, 90.4]).split(';')).toEqual([
      'modified',
      '40px minmax(160px, 1fr) minmax(64px, 200px) minmax(64px, 90px) 36px',
      '200,-152,90',
    ])
    expect(columnsText([-200, -152, -90]).split(';')).toEqual([
      'stored modified size',
      '40px minmax(160px, 1fr) 36px',
      '-200,-152,-90',
    ])
  })
})

describe('the address of a list', () => {
  test('has the tag that it is filtered by', () => {
    const params = writeUrlState(new URLSearchParams('q=plan&other=1'), { tag: 'tag_1', query: '' })
    expect(params.toString()).toBe('other=1&tag=tag_1')
    const url = readUrlState(params)
    expect(url.tag).toBe('tag_1')
    expect(hasFilters(url)).toBe(true)
    expect(listKeyOf('ALL', url, true).tag).toBe('tag_1')
    expect(writeUrlState(params, NO_FILTERS).toString()).toBe('other=1')
  })

  test('keeps what a change does not name, and drops what it removes', () => {
    const params = new URLSearchParams('folder=f&sort=-size&type=pdf&home=account&state=at-risk&layout=grid')
    const next = writeUrlState(params, { folder: null, home: 'POOL', atRisk: false, preview: 'file_1' })
    expect(next.toString()).toBe('sort=-size&type=pdf&home=pool&layout=grid&preview=file_1')
  })
})
