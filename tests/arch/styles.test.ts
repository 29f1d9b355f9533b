import { expect, test } from 'vitest'
import { judgeStyles, judgeWebStyles } from './styles.ts'

const BASE = { path: 'styles/base.css', text: '@layer components {\n  .muted { color: gray; }\n}' }
const MODULE = { path: 'ui/Box.module.css', text: '.box :global(.muted) { margin: 0; }' }
const COMPONENT = {
  path: 'ui/Box.tsx',
  text: "import styles from './Box.module.css'\nconst a = <b className={styles.box} />",
}

test('every style is a CSS module next to its component or a base style', () => {
  expect(judgeWebStyles('.')).toEqual([])
})

test.each([
  [
    'a global class',
    [{ path: 'styles/cards.css', text: '.card { margin: 0; }' }],
    'styles/cards.css: .card is global. Use a CSS module.',
  ],
  [
    'a class that is missing',
    [{ path: 'ui/Bar.tsx', text: "import styles from './Box.module.css'\nconst a = styles.bar" }],
    'ui/Bar.tsx: Box.module.css has no .bar.',
  ],
  [
    'a reference to nothing',
    [{ path: 'ui/Bar.module.css', text: 'p :global(.Box_lid) { margin: 0; }' }],
    'ui/Bar.module.css: no style is called Box_lid.',
  ],
  [
    'a class that is used nowhere',
    [{ path: 'ui/Bar.module.css', text: '.bar { margin: 0; }' }],
    'ui/Bar.module.css: .bar is used nowhere.',
  ],
  [
    'a second module of a name',
    [{ path: 'screens/Box.module.css', text: '' }],
    'ui/Box.module.css: another module is called Box.',
  ],
])('%s is found', (_, planted, problem) => {
  expect(judgeStyles([BASE, MODULE, COMPONENT])).toEqual([])
  expect(judgeStyles([BASE, MODULE, COMPONENT, ...planted])).toEqual([problem])
})
