/** The tab that the user looks at, also where the popup is a window of its own, as on phones. */
export async function activeTab(): Promise<chrome.tabs.Tab | undefined> {
  const focused = await chrome.windows.getLastFocused({ windowTypes: ["normal"], populate: true });
  return focused.tabs?.find((tab) => tab.active);
}
