// Every text of the user interface: a translation is a second set of these files. Imported as `* as texts`, so that each
// part is bundled with the pages that show it, and the first load is without the others.
export { device } from "./device";
export { display } from "./display";
export { download } from "./download";
export { feedSettings } from "./feeds";
export { files } from "./files";
export {
  dialog,
  dismiss,
  errors,
  justNow,
  kind,
  kinds,
  locale,
  nav,
  notFound,
  product,
  removal,
  status,
  statusBar,
  tabs,
  toasts,
} from "./general";
export { highlightPages } from "./highlight-pages";
export { highlights } from "./highlights";
export { highlighted, library, saving } from "./library";
export { config, dashboard, health, store } from "./operator";
export { actions, filters, offline, organise, saved, tags } from "./organise";
export { login, share } from "./pages";
export { pipeline } from "./pipeline";
export { player, transcript } from "./player";
export { podcasts } from "./podcasts";
export { changes, downloads, fetching, pictures, reader, versions } from "./reader";
export { paste, receipt } from "./receipt";
export { hits, related, search } from "./search";
export { exports } from "./settings/exports";
export { imports } from "./settings/imports";
export { saveFromAnywhere, settings } from "./settings/settings";
export { shortcuts } from "./shortcuts";
