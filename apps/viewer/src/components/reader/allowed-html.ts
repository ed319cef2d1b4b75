// docs/reference/sanitized-html.md, as a list for DOMPurify.
export const ALLOWED_TAGS = (
  "p br strong em b i u s blockquote pre code ul ol li h1 h2 h3 h4 h5 h6 hr a img table thead tbody tfoot tr th td " +
  "caption sup sub dl dt dd figure figcaption div span section article header footer aside mark small del ins kbd " +
  "samp var abbr cite q time"
).split(" ");
export const ALLOWED_ATTRIBUTES =
  "href title src alt width height colspan rowspan start datetime rel target referrerpolicy".split(" ");
