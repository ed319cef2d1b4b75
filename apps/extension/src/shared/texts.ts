/** Every sentence that the extension shows. */

export const name = "Nexus";
export const saving = "Saving…";
export const saved = "Saved";
export const queued = "Saved in this browser. It is sent when your server answers.";
export const reading = "Link saved. The page is sent only if the server can't read it.";
export const serverAway = "Your Nexus server does not answer.";
export const notConnected = "This browser is not connected to your Nexus server. Connect it in the options.";
export const notSaved = (reason: string): string => `Not saved. ${reason}`;
export const alreadySaved = "Already in your library";
export const waitsForText = "In your library, but the server couldn't fetch it. Saving now adds its text.";
export const highlights = (count: number): string => (count === 1 ? "1 highlight" : `${count} highlights`);
export const linkOnly = "The browser does not let extensions read this page, so its link was saved.";
export const noPage = "Only web pages can be saved (addresses that begin with http or https).";
export const tooLarge = (megabytes: number): string =>
  `This page has ${megabytes} MB, more than the 20 MB that can be saved. Its link was saved instead.`;

export const notDescribed = "Tags and note were not added: this page is not in your library.";

export const savePage = "Save page to Nexus";
export const saveLink = "Save link to Nexus";
export const saveSelection = "Save selection as highlight";

export const connect = (server: string): string => `Connect this browser to ${server}?`;
export const connected = (server: string): string => `Connected to ${server}.`;
export const pairingFailed = (reason: string): string => `Not connected. ${reason}`;
export const badServer = "This is not the address of a server. Example: https://nexus.example.org";
export const connectNow = "Connect";
export const openOptions = "Options";
export const whatConnects = "It can then save pages to your library, look them up there, and add tags and notes.";
export const howToConnect = 'Open your Nexus, go to Settings, "Save from anywhere", and click this icon there.';
export const howToSave = "Click this icon on any page to save it.";

export const saveAgain = "Save the page as it is now";
export const removeTag = (name: string): string => `Remove tag ${name}`;
export const waits = "Waits for your server.";
export const retry = "Try again";
export const discard = "Discard";
