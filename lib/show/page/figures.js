// Numbers as people read them, and as the program prints them: exact, and short where room is dear.

const withThousands = (number) => number.toLocaleString("en-US");

// "8,544", "109 M": what has more than seven digits has three.
function shortCount(number) {
  if (Math.abs(number) < 1e7) return withThousands(number);
  const units = ["M", "G", "T", "P", "E"];
  let scaled = number / 1e6;
  let unit = 0;
  for (; Math.abs(scaled) >= 999.5 && unit + 1 < units.length; ++unit) scaled /= 1000;
  return `${scaled.toPrecision(3)} ${units[unit]}`;
}

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

// How amounts of a unit are written, where all together are `total`: exact, and short.
function figuresOf(unit, total) {
  const both = (text) => ({ text, short: text });
  if (unit === "ns") return both(timeFigures(total));
  if (unit === "ratio") return both((ratio) => `${(100 * ratio).toFixed(1)} %`);
  if (unit === "bytes") {
    return { short: humanBytes, text: (bytes) =>
      (bytes < 1000 ? humanBytes(bytes) : `${humanBytes(bytes)} (${withThousands(bytes)} bytes)`) };
  }
  const text = (number) => number.toLocaleString("en-US",
    Number.isInteger(number) ? {} : { maximumSignificantDigits: 6 });
  return { text, short: (number) => (Math.abs(number) < 1e7 ? text(number) : shortCount(number)) };
}

const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–");

// "1 node", "2,000 nodes"
const counted = (count, noun) => `${withThousands(count)} ${noun}${count === 1 ? "" : "s"}`;
