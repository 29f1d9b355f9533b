export const messages = {
  protectedTitle: 'This link is protected',
  protectedText: 'Enter the password you were given with the link.',
  password: 'Password',
  passwordMissing: 'Please enter the password.',
  unlock: 'Unlock',
}
