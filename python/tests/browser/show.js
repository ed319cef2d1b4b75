async ({ batch, how, patience }) => {
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const EVENTS = ["mouseover", "mouseenter", "mousedown", "click", "focus", "blur", "keydown", "toggle", "input", "submit"];
  const SAFE = ["http:", "https:", "mailto:", ":"];

  const frames = batch.map(([name]) => {
    const frame = document.createElement("iframe");
    frame.name = name;
    frame.src = `/${how}/${name}`;
    return frame;
  });
  const loaded = new Set();
  const loading = frames.map(
    (frame) =>
      new Promise((resolve) => frame.addEventListener("load", () => resolve(loaded.add(frame)), { once: true })),
  );
  document.body.append(...frames);
  await Promise.race([Promise.all(loading), pause(patience)]);

  const page = (frame) => {
    try {
      return frame.contentDocument;
    } catch {
      return null; // it has navigated to another origin
    }
  };
  if (how === "inserted") {
    frames.forEach((frame, index) => {
      const here = page(frame)?.getElementById("here");
      if (here) here.innerHTML = batch[index][1];
    });
    await pause(150);
  }

  const found = {};
  frames.forEach((frame, index) => {
    const elements = page(frame)?.body?.querySelectorAll("*:not(#here)") ?? [];
    found[batch[index][0]] = !loaded.has(frame) ? null : [...elements].flatMap((element) => [
      element.namespaceURI.endsWith("xhtml") ? element.localName : `foreign ${element.localName}`,
      ...element.getAttributeNames().map((attribute) => `${element.localName} ${attribute}`),
      ...(element.localName === "a" && !SAFE.includes(element.protocol) ? [`a ${element.protocol}`] : []),
    ]);
    for (const element of elements) {
      for (const event of EVENTS) element.dispatchEvent(new Event(event, { bubbles: false }));
      const address = element.href?.animVal ?? element.href ?? "";
      if (element.localName === "button" || (address && !/^(https?|mailto):/i.test(address))) {
        element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      }
    }
  });
  await pause(250);
  frames.forEach((frame) => frame.remove());
  return found;
}
