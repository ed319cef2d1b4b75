{
  // The frame's name outlives whatever the fragment navigates it to.
  const note = (what) => window.noteAttempt(window.name || location.href, what);
  for (const name of ["alert", "confirm", "prompt", "print"]) {
    window[name] = () => note(`called ${name}`);
  }
  document.addEventListener("securitypolicyviolation", (event) => note(`tried ${event.effectiveDirective}`));
}
