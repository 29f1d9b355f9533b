import { existsSync } from 'node:fs'
import { canInstall, installPackages } from './apt.mjs'

const PACKAGES = {
  'apache2-bin': '/usr/lib/apache2/modules/mod_dav_fs.so',
  'media-types': '/etc/mime.types',
  nginx: '/usr/sbin/nginx',
  'libnginx-mod-http-dav-ext': '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so',
}

/**
 * Installs the WebDAV servers of Debian that the driver is tested with, where possible: the tests start them on loopback, as they
 * need them. Without them, those tests are skipped with a note, so failing to install them is no error.
 */
export async function installDavServers() {
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name]))
  if (missing.length === 0 || !canInstall()) return
  console.log(`Installing ${missing.join(', ')}, for tests with real WebDAV servers`)
  await installPackages(missing).catch((error) => console.warn(error.message))
}
