import { vi } from "vitest";

// All files run in one process: what an earlier one left in a module, such as a message, is not in this one's.
vi.resetModules();
