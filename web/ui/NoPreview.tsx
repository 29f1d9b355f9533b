import styles from './NoPreview.module.css'

/**
 * Says under the icon of a tile that there is no picture of this file. It stands directly after the thumbnail, and is hidden as long as that
 * is loading or shown.
 */
export function NoPreview({ name }: { readonly name: string }) {
  const extension = /(?<=.)\.[^\s.]{1,12}$/u.exec(name)?.[0]
  return <span className={`${styles.note} meta subtle`}>{extension ? `No preview of ${extension}` : 'No preview'}</span>
}
