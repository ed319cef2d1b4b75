// Part of texts.ts.
export const shortcuts = {
  title: "Keyboard shortcuts",
  groups: [
    [
      "Everywhere",
      [
        ["a", "Save a link or text"],
        ["g then l", "Go to the library"],
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
        ["m", "Mark as read or unread"],
        ["r", "What happened to it"],
        ["v", "Open the original"],
        ["#", "Delete"],
        ["/", "Search"],
      ],
    ],
    [
      "Reader",
      [
        ["u", "Back to the library"],
        ["m", "Mark as read or unread"],
        ["j / k", "Scroll down / up"],
        ["v", "Open the original"],
        ["+ / −", "Larger / smaller text"],
        ["Space", "Play or pause (podcasts)"],
        ["h", "Listen: have the text read aloud"],
      ],
    ],
    [
      "Player",
      [
        ["p", "Play or pause"],
        [", / .", "Back 15 seconds / forward 30 seconds, or by a sentence"],
        ["< / >", "Slower / faster"],
      ],
    ],
  ] as [string, [string, string][]][],
};
