// Part of texts.ts.
export const shortcuts = {
  title: "Keyboard shortcuts",
  groups: [
    [
      "Everywhere",
      [
        ["a", "Save a link or text"],
        ["g then l", "Go to the library"],
        ["z", "Undo what the message says"],
        ["t", "Next theme"],
        ["?", "Show these shortcuts"],
        ["Esc", "Close the dialog or panel"],
      ],
    ],
    [
      "Library",
      [
        ["j / k", "Next / previous item"],
        ["o or Enter", "Open the selected item"],
        ["e", "Archive, or move to the Inbox"],
        ["s", "Star"],
        ["l", "Tags"],
        ["m", "Mark as read or unread"],
        ["i", "Edit title and note"],
        ["#", "Delete"],
        ["r", "What happened to it"],
        ["v", "Open the original"],
        ["/", "Search"],
      ],
    ],
    [
      "Several items at once",
      [
        ["x", "Select the item, or take it out again"],
        ["X", "Select all up to this item"],
        ["J / K", "Select and go on"],
        ["*", "Select all results"],
        ["e s l m #", "Act on all that are selected"],
        ["Esc", "Clear the selection"],
      ],
    ],
    [
      "Views",
      [
        ["g then i", "Inbox"],
        ["g then u", "Unread"],
        ["g then s", "Starred"],
        ["g then e", "Archive"],
        ["g then a", "Everything"],
        ["g then t", "Manage tags"],
      ],
    ],
    [
      "Reader",
      [
        ["u", "Back to the library"],
        ["e", "Archive, or move to the Inbox"],
        ["s", "Star"],
        ["l", "Tags"],
        ["i", "Edit title and note"],
        ["m", "Mark as read or unread"],
        ["j / k", "Scroll down / up"],
        ["v", "Open the original"],
        ["[ / ]", "Previous / next in the list"],
        ["+ / −", "Larger / smaller text"],
        ["f", "Full screen"],
        ["Space", "Play or pause (podcasts)"],
        ["h", "Highlight what is selected, or select the sentence to highlight"],
        ["↓ / ↑", "Then: the next / previous sentence"],
        ["H", "Select the next sentence, too"],
        ["n / N", "Next / previous highlight"],
      ],
    ],
    [
      "Player",
      [
        ["p", "Play or pause, or have the text read aloud"],
        [", / .", "Back 15 seconds / forward 30 seconds, or by a sentence"],
        ["< / >", "Slower / faster"],
      ],
    ],
  ] as [string, [string, string][]][],
};
