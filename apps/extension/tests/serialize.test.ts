// @vitest-environment jsdom
import { afterEach, describe, expect, it } from "vitest";
import { serialize } from "../src/page/serialize";

afterEach(() => {
  document.head.innerHTML = "";
  document.body.innerHTML = "";
});

function taken(body: string, head = ""): Document {
  document.head.innerHTML = head;
  document.body.innerHTML = body;
  return parse();
}

const parse = (): Document => new DOMParser().parseFromString(serialize(document), "text/html");

describe("serialize", () => {
  it("keeps text, structure, names and languages", () => {
    document.documentElement.lang = "de";
    const page = taken(
      `<article class="story" id="a"><h1>Title</h1><p lang="fr">Salut <em>toi</em></p></article>`,
      `<title>Name</title><meta name="author" content="Ada">`,
    );
    expect(page.documentElement.lang).toBe("de");
    expect(page.title).toBe("Name");
    expect(page.querySelector("meta[name=author]")?.getAttribute("content")).toBe("Ada");
    expect(page.querySelector("article.story#a p[lang=fr] em")?.textContent).toBe("toi");
  });

  it("drops scripts and styles, but not linked data", () => {
    const page = taken(
      `<p>Text</p><script>steal()</script><style>p{}</style><script type="application/ld+json">{"name":"x"}</script>`,
    );
    expect(page.querySelectorAll("style").length).toBe(0);
    expect([...page.querySelectorAll("script")].map((script) => script.textContent)).toEqual([`{"name":"x"}`]);
  });

  it("sends nothing that was typed into the page", () => {
    document.body.innerHTML = `<p>Text</p><form><input type="password"><textarea></textarea><select><option>c</option></select></form>`;
    const password = document.querySelector("input") as HTMLInputElement;
    password.value = "hunter2";
    password.setAttribute("value", "hunter2");
    (document.querySelector("textarea") as HTMLTextAreaElement).value = "secret draft";
    const html = serialize(document);
    expect(html).not.toContain("hunter2");
    expect(html).not.toContain("secret draft");
    expect(html).toContain("Text");
  });

  it("leaves out what is not displayed", () => {
    const page = taken(
      `<p>Seen</p><p style="display: none">Unseen</p><div hidden>Gone</div><p class="x">Styled</p>`,
      "",
    );
    expect(page.body.textContent).toContain("Seen");
    expect(page.body.textContent).not.toContain("Unseen");
    expect(page.body.textContent).not.toContain("Gone");
  });

  it("puts shadow roots in place, with their slots filled", () => {
    document.body.innerHTML = `<story-box><b slot="by">Ada</b><p>Given</p></story-box>`;
    const host = document.querySelector("story-box") as HTMLElement;
    host.attachShadow({
      mode: "open",
    }).innerHTML = `<h2>In the shadow</h2><slot name="by">nobody</slot><slot></slot><slot name="none"><i>fallback</i></slot>`;
    const page = parse();
    expect(page.querySelector("story-box h2")?.textContent).toBe("In the shadow");
    expect(page.querySelector("story-box slot b")?.textContent).toBe("Ada");
    expect(page.querySelector("story-box i")?.textContent).toBe("fallback");
    expect(page.body.textContent?.match(/Given/g)).toHaveLength(1);
    expect(page.body.textContent).not.toContain("nobody");
  });

  it("puts frames of the same origin in place and leaves others as frames", () => {
    document.body.innerHTML = `<iframe id="own"></iframe><iframe src="https://other.example/v"></iframe>`;
    const own = document.querySelector("iframe") as HTMLIFrameElement;
    (own.contentDocument as Document).body.innerHTML = "<p>In the frame</p>";
    const page = parse();
    expect(page.querySelector("div > p")?.textContent).toBe("In the frame");
    expect([...page.querySelectorAll("iframe")].map((frame) => frame.getAttribute("src"))).toEqual([
      "https://other.example/v",
    ]);
  });

  it("writes addresses out and drops handlers", () => {
    const page = taken(`<a href="/story?a=1" onclick="x()" ping="/p">Story</a><img src="/p.png" srcset="/big.png 2x">`);
    const link = page.querySelector("a") as HTMLAnchorElement;
    expect(link.getAttribute("href")).toBe(new URL("/story?a=1", document.baseURI).href);
    expect(link.hasAttribute("onclick") || link.hasAttribute("ping")).toBe(false);
    const image = page.querySelector("img") as HTMLImageElement;
    expect(image.getAttribute("src")).toBe(new URL("/p.png", document.baseURI).href);
    expect(image.hasAttribute("srcset")).toBe(false);
    expect(page.querySelector("base")?.getAttribute("href")).toBe(document.baseURI);
  });

  it("drops pictures that are written into the page and large", () => {
    const page = taken(
      `<img alt="chart" src="data:image/png;base64,${"A".repeat(300_000)}"><img src="data:image/gif;base64,R0">`,
    );
    const [large, small] = page.querySelectorAll("img");
    expect(large?.hasAttribute("src")).toBe(false);
    expect(large?.getAttribute("alt")).toBe("chart");
    expect(small?.getAttribute("src")).toContain("data:image/gif");
  });

  it("survives attributes that no script could set", () => {
    document.body.innerHTML = `<p "quoted"=1 1x=2 ok=3>Text</p>`;
    expect(parse().querySelector("p[ok]")?.textContent).toBe("Text");
  });

  it("changes nothing in the page", () => {
    document.body.innerHTML = `<p onclick="x()">Text <script>1</script></p><input value="v">`;
    const before = document.documentElement.outerHTML;
    serialize(document);
    expect(document.documentElement.outerHTML).toBe(before);
  });
});
