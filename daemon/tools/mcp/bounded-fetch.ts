/** `fetch` for servers over HTTP: an answer without end must not fill the memory of the daemon. */

/** Bytes of one message, as for servers that are programs. */
export const longestMessage = 10 * 1024 * 1024;

/** As `fetch`; the body fails once it, or one event of an event stream, is longer than `most` bytes. */
export async function boundedFetch(url: string | URL, init?: RequestInit, most = longestMessage): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isEvents = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit(most, isEvents)), { status, statusText, headers });
}

function limit(most: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isEvents ? endOfEvents(chunk) : 0;
      length = end > 0 ? chunk.length - end : length + chunk.length;
      if (length > most) controller.error(new Error(`a message of more than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

/** Where the last event that ends in this chunk does; 0 when none does. An end that is cut in two counts for nothing. */
function endOfEvents(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...['\n\n', '\r\n\r\n'].map((end) => bytes.lastIndexOf(end) + 1));
}
