/** Pages that are left as soon as they have done their work. */
export const login = {
  title: "Sign in",
  text: "Sign in with an access token. The server's operator can create one with this command:",
  label: "Token",
  submit: "Sign in",
  working: "Signing in…",
  show: "Show the token",
  empty: "Enter your token.",
};

export const share = {
  title: "Save what you shared",
  nothing: "Nothing was shared. Go to the library and paste a link there.",
  toLibrary: "Go to the library",
};
