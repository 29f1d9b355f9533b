/** Texts of the login page. */
export const messages = {
  pageTitle: 'Log in · Skypool',
  title: 'Log in',
  intro: 'Welcome back.',
  signedOut: 'You were signed out. Sign in again to continue.',
  email: 'Email',
  password: 'Password',
  remember: 'Remember me',
  forgot: 'Forgot password?',
  submit: 'Log in',
  noAccount: 'No account yet?',
  register: 'Register',
  byInvitation: 'Ask the administrator of this server for an invitation.',
  closed: 'Registration is closed on this server.',
  failed: 'Login failed',
  failedText: 'Please check your credentials and try again.',
  tooMany: (seconds: number) =>
    `Too many attempts. Please wait ${seconds === 1 ? '1 second' : `${seconds} seconds`} and try again.`,
  unreachable: 'The server cannot be reached. Please check your connection and try again.',
} as const
