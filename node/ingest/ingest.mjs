/**
 * Open a page in Chromium and print what a reader sees of it.
 *   echo '{"url": "https://example.com/", "timeout_ms": 30000}' | node ingest.mjs
 * prints {final_url, base_url, title, content_html, html, status}; exit 0, 10 (too slow), 11 (not loaded), 12 (no article),
 * with {error, code, …} on stderr. `node ingest.mjs --serve` reads one request per line, keeps the browser open, and
 * looks for no article.
 */
import { text } from "node:stream/consumers";
import { ArticleReader, checkReadability, withArticle } from "./article_reader.mjs";
import { Browsers } from "./browsers.mjs";
import { asFailure, Failure } from "./failures.mjs";
import { checkRequest, optionsFrom, render } from "./render.mjs";
import { serve } from "./serve.mjs";

// stdout is for messages only.
console.log = console.error;

const print = (stream, value) => new Promise((resolve) => stream.write(`${JSON.stringify(value)}\n`, resolve));

async function once() {
  const request = parse(await text(process.stdin));
  const checked = checkRequest(request);
  const readability = checkReadability(request);
  const options = optionsFrom(request.options);
  if (options.announce) options.onRequest = (requested) => print(process.stdout, { requested });
  const browsers = new Browsers(options);
  const reader = readability === "off" ? null : new ArticleReader();
  try {
    const page = await render({ browsers, options }, checked);
    await print(process.stdout, await withArticle(reader, page, readability));
  } finally {
    reader?.end();
    await browsers.closeIdle();
  }
}

function parse(input) {
  try {
    return JSON.parse(input);
  } catch {
    throw new Failure("bad_request", "The request must be a JSON object with a url.");
  }
}

try {
  await (process.argv.includes("--serve") ? serve(process.stdin, (message) => print(process.stdout, message)) : once());
  process.exit(0);
} catch (error) {
  const failure = asFailure(error);
  await print(process.stderr, failure);
  process.exit(failure.exitCode);
}
