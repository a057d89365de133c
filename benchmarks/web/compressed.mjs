// Sizes of files as gzip and brotli send them, kept between runs: brotli takes minutes of large ones.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Makes a function of bytes to `{ bytes, gzip, brotli }`, both with their strongest setting. */
export function openSizes(file) {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return (content) => {
    const key = createHash('sha256').update(content).digest('hex');
    if (known[key] === undefined) {
      const gzip = gzipSync(content, { level: 9 }).length;
      known[key] = { bytes: content.length, gzip, brotli: brotliCompressSync(content).length };
      writeFileSync(file, JSON.stringify(known));
    }
    return known[key];
  };
}
