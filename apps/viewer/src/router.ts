import { shallowRef } from "vue";
import { createRouter, createWebHistory } from "vue-router";
import { messageOf } from "./api/errors";
import { fetchReady } from "./api/session";
import { useToasts } from "./composables/useToasts";
import { mayReload, pageLoaded } from "./device/reload-once";
import LibraryPage from "./pages/LibraryPage.vue";
import * as texts from "./texts";

declare module "vue-router" {
  interface RouteMeta {
    title?: string;
    bare?: boolean;
  }
}

export const router = createRouter({
  history: createWebHistory(),
  scrollBehavior: (to, from, saved) => {
    if (to.path === from.path) return false; // a drawer or a filter is not a new page
    if (to.name === "read") return false; // it opens at a search result, or where the user was
    return saved ?? { top: 0 };
  },
  routes: [
    { path: "/", name: "library", component: LibraryPage, meta: { title: texts.library.title } },
    { path: "/read/:mediaId", name: "read", component: () => import("./pages/ReaderPage.vue") },
    {
      path: "/library/highlights", // `/highlights` is the API's
      name: "highlights",
      component: () => import("./pages/HighlightsPage.vue"),
      meta: { title: texts.highlighted.title },
    },
    {
      path: "/library/highlights/review",
      name: "review",
      component: () => import("./pages/ReviewPage.vue"),
      meta: { title: texts.highlighted.review },
    },
    {
      path: "/dashboard",
      name: "dashboard",
      component: () => import("./pages/DashboardPage.vue"),
      meta: { title: texts.nav.dashboard },
    },
    {
      path: "/settings",
      name: "settings",
      component: () => import("./pages/SettingsPage.vue"),
      meta: { title: texts.nav.settings },
      redirect: { name: "imports" },
      children: [
        { path: "import", name: "imports", component: () => import("./components/settings/imports/ImportPart.vue") },
        {
          path: "import/:importId",
          name: "import",
          component: () => import("./components/settings/imports/ImportDetails.vue"),
        },
        { path: "export", name: "exports", component: () => import("./components/settings/exports/ExportPart.vue") },
        {
          path: "save-from-anywhere",
          name: "save-from-anywhere",
          component: () => import("./components/settings/SaveFromAnywhere.vue"),
        },
      ],
    },
    {
      path: "/share",
      name: "share",
      component: () => import("./pages/SharePage.vue"),
      meta: { title: texts.share.title },
    },
    {
      path: "/login",
      name: "login",
      component: () => import("./pages/LoginPage.vue"),
      meta: { title: texts.login.title, bare: true },
    },
    {
      path: "/:rest(.*)*",
      name: "not-found",
      component: () => import("./pages/NotFoundPage.vue"),
      meta: { title: texts.notFound.title },
    },
  ],
});

/** The requested page could not be loaded, also after a reload. */
export const pageFailed = shallowRef(false);

/** A chunk could not be loaded: the server is unreachable, or it was updated and has other files now. */
router.onError(async (_error, to) => {
  try {
    await fetchReady(); // never from the service worker's cache
  } catch (error) {
    useToasts().show(messageOf(error), { tone: "bad" });
    return;
  }
  if (mayReload(to.fullPath)) window.location.assign(to.fullPath);
  else pageFailed.value = true;
});

router.afterEach((to, _from, failure) => {
  if (failure) return;
  pageLoaded();
  pageFailed.value = false;
  if (to.meta.title) document.title = `${to.meta.title} · ${texts.product}`;
});
