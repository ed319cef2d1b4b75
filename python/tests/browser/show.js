/** Frames that show fragments. Python appends them and then touches them, again and again, until it has seen enough. */
() => {
  const EVENTS = ["mouseover", "mouseenter", "mousedown", "click", "focus", "blur", "keydown", "toggle", "input", "submit"];
  const SAFE = ["http:", "https:", "mailto:", ":"];
  const shown = new Map();

  const elementsOf = (frame) => {
    try {
      return [...(frame.contentDocument?.body?.querySelectorAll("*:not(#here)") ?? [])];
    } catch {
      return []; // it has navigated to another origin
    }
  };
  const describe = (element) => [
    element.namespaceURI.endsWith("xhtml") ? element.localName : `foreign ${element.localName}`,
    ...element.getAttributeNames().map((attribute) => `${element.localName} ${attribute}`),
    ...(element.localName === "a" && !SAFE.includes(element.protocol) ? [`a ${element.protocol}`] : []),
  ];
  const touch = (element) => {
    for (const event of EVENTS) element.dispatchEvent(new Event(event, { bubbles: false }));
    const address = element.href?.animVal ?? element.href ?? "";
    if (element.localName === "button" || (address && !/^(https?|mailto):/i.test(address))) {
      element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    }
  };

  window.appendFrames = ({ batch, how }) => {
    for (const [name, fragment] of batch) {
      const frame = document.createElement("iframe");
      const one = { frame, elements: null };
      frame.addEventListener(
        "load",
        () => {
          const here = how === "inserted" && frame.contentDocument?.getElementById("here");
          if (here) here.innerHTML = fragment;
          one.elements = elementsOf(frame).flatMap(describe);
        },
        { once: true },
      );
      frame.name = name;
      frame.src = `/${how}/${name}`;
      shown.set(name, one);
      document.body.append(frame);
    }
  };
  /** The fragments that have not been loaded yet; the others have been touched. */
  window.touchFrames = () => {
    const loading = [...shown].filter(([, { elements }]) => elements === null).map(([name]) => name);
    for (const { frame } of shown.values()) elementsOf(frame).forEach(touch);
    return loading;
  };
  window.removeFrames = () => {
    const found = Object.fromEntries([...shown].map(([name, { elements }]) => [name, elements]));
    for (const { frame } of shown.values()) frame.remove();
    shown.clear();
    return found;
  };
}
