// Numbers as people read them, and as the program prints them.

const withThousands = (number) => number.toLocaleString("en-US");

// "17.5 MB": in powers of 1000.
function humanBytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
  if (bytes < 1000) return `${bytes} B`;
  let unit = 0;
  for (; bytes >= 999.95 && unit + 1 < units.length; ++unit) bytes /= 1000;
  return `${bytes.toFixed(1)} ${units[unit]}`;
}

// Of nanoseconds, all times of the page in the unit that suits their sum.
function timeFigures(total) {
  const inMilliseconds = total >= 1e7;
  const [unit, scale, decimals] = inMilliseconds ? ["ms", 1e6, 3] : ["µs", 1e3, 1];
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (time) => `${(time / scale).toLocaleString("en-US", format)} ${unit}`;
}

// How amounts of a unit are written, where all together are `total`.
function figuresOf(unit, total) {
  if (unit === "ns") return timeFigures(total);
  if (unit === "bytes") return humanBytes;
  if (unit === "ratio") return (ratio) => `${(100 * ratio).toFixed(1)} %`;
  return (number) => number.toLocaleString("en-US", { maximumSignificantDigits: 6 });
}

const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–");

// "1 node", "2,000 nodes"
const counted = (count, noun) => `${withThousands(count)} ${noun}${count === 1 ? "" : "s"}`;
