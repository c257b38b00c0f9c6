// @ts-check
/** Server-sent events over fetch: unlike EventSource it sends a body, a key, and stops by a signal. */
import { lose } from './connection.js';
import { send } from './http.js';
import { ApiError, errorOf, isAbort } from './problems.js';

/** @typedef {{ name: string, data: any }} ServerEvent */

/**
 * Yield the events of a stream. Throws ApiError: also for the event `error`, which ends a stream of this API.
 * @param {string} method
 * @param {string} where
 * @param {import('./http.js').Options} [options]
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* stream(method, where, options = {}) {
  const response = await send(method, where, { ...options, accept: 'text/event-stream' });
  try {
    for await (const event of parsed(texts(/** @type {ReadableStream<Uint8Array>} */ (response.body)))) {
      if (event.name === 'error') throw errorOf(event.data?.status ?? 500, event.data);
      yield event;
    }
  } catch (error) {
    if (error instanceof ApiError || isAbort(error)) throw error;
    lose();
    throw new ApiError(0, '');
  }
}

/** @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<string>} */
async function* texts(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Yield events from pieces of text that end anywhere.
 * @param {AsyncIterable<string>} pieces
 * @returns {AsyncGenerator<ServerEvent>}
 */
export async function* parsed(pieces) {
  let rest = '';
  for await (const piece of pieces) {
    const held = rest + piece;
    const isCut = held.endsWith('\r'); // its \n may come with the next piece
    const blocks = (isCut ? held.slice(0, -1) : held).replace(/\r\n?/g, '\n').split('\n\n');
    rest = `${blocks.pop() ?? ''}${isCut ? '\r' : ''}`;
    yield* blocks.flatMap(eventsOf);
  }
}

/** @param {string} block @returns {ServerEvent[]} */
function eventsOf(block) {
  let name = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    const [, field, value] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
  return data.length ? [{ name, data: JSON.parse(data.join('\n')) }] : [];
}
