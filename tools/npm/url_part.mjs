// SPDX-License-Identifier: Apache-2.0

// Parts of a file on a web server (RFC 9110, section 14).

export const describePart = (begin, end) => `bytes=${begin}-${end - 1}`;

/** The file that a part is of, as far as the server tells. `header(name)`: a header, or null. */
export function fileOf(url, header) {
  const size = /\/(\d+)$/.exec(header('Content-Range') ?? '')?.[1];
  return {url, size: size && Number(size), tag: header('ETag'), time: header('Last-Modified')};
}

/** Whether the server says that it gives the part [begin, end), or the file's end if that is nearer. */
export function isPart(header, begin, end) {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header('Content-Range') ?? '') ?? [];
  return Number(first) === begin && Number(last) + 1 === Math.min(end, Number(size));
}

/** The bytes of a part of the file, out of what the server has answered. */
export function bytesOfPart(file, begin, end, status, header, body) {
  if (status !== 200 && status !== 206) throw new Error(`${file.url}: the server says ${status}`);
  const now = fileOf(file.url, header);
  if (status === 200 || now.size !== file.size || now.tag !== file.tag || now.time !== file.time) {
    throw new Error(`${file.url}: it was changed while it was read; try again`);
  }
  if (body.byteLength !== end - begin || !isPart(header, begin, end)) throw new Error(`${file.url}: the server gives another part`);
  return new Uint8Array(body);
}
