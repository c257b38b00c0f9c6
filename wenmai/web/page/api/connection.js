// @ts-check
/** Whether the server answers; while it does not, it is asked again, ever more slowly. */
import { signal } from '../signals.js';

const FIRST_MS = 500;
const MOST_MS = 10_000;

export const isLost = signal(false);
/** Counts how often the server came back: lists are then loaded anew. */
export const returns = signal(0);

/** @param {number} tries */
export const pause = (tries) => Math.min(MOST_MS, FIRST_MS * 2 ** tries);

/** Say that a request reached nobody. */
export function lose() {
  if (isLost.value) return;
  isLost.value = true;
  void waitForReturn();
}

async function waitForReturn() {
  for (let tries = 0; ; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, pause(tries)));
    if (await answers()) break;
  }
  isLost.value = false;
  returns.value += 1;
}

/** Return whether the server answers now, and note where it does not. */
export async function isThere() {
  const found = await answers();
  if (!found) lose();
  return found;
}

async function answers() {
  try {
    return (await fetch('/health', { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
