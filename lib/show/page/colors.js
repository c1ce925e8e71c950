// What the colours of the picture say.
//
// A way of colouring has a name, paints a cell or a swatch, says in words what it painted, and
// lists what is to be known of it. Amounts go from pale to strong, words have the colours of Okabe
// and Ito: all eyes tell these apart.

// From the name without its number: modules that are alike look alike.
function hueOf(name) {
  let hash = 0;
  for (const char of name.replace(/[\d[\]-]+/g, "")) {
    hash = (hash * 31 + char.codePointAt(0)) % 9973;
  }
  return (hash * 137.508) % 360;
}

const byName = {
  key: "name", label: "name",
  paint(drawn, block) { drawn.style.setProperty("--hue", hueOf(block.module.name)); },
  text: () => "",
  legend: () => [],
};

function swatch(name, value, label) {
  const sign = element("span", { class: `swatch ${name}`, "aria-hidden": true });
  sign.style.setProperty(name === "heat" ? "--heat" : "--word", value);
  return element("li", {}, sign, label);
}

// `strength` of a block is from 0 to 1; `ends` are the words at both.
const byAmount = (key, label, strength, text, ends) => ({
  key, label, text,
  paint(drawn, block) {
    drawn.classList.add("heat");
    drawn.style.setProperty("--heat", strength(block));
  },
  legend: () => [swatch("heat", 0, ends[0]), swatch("heat", 0.5, ""), swatch("heat", 1, ends[1])],
});

const wordColors = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00", "#0072b2"];
const otherColor = "#8a8a8a";

// `wordOf` a module; words in `order` come first, with their colours, others as often as they come.
function byWord(key, label, wordOf, order = []) {
  const counts = new Map(order.map(([word]) => [word, 0]));
  for (const module of modules) {
    const word = wordOf(module);
    if (word) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const known = [...counts].filter(([, count]) => count > 0);
  if (order.length === 0) known.sort((a, b) => b[1] - a[1]);
  const listed = known.slice(0, order.length || wordColors.length).map(([word]) => word);
  const colors = new Map(order.length ? order : listed.map((word, i) => [word, wordColors[i]]));
  const colorOf = (word) => colors.get(word) ?? otherColor;
  const wordsOf = (block) => [...new Set(block.modules.map(wordOf))].filter(Boolean);
  return {
    key, label,
    paint(drawn, block) {
      const [word, other] = wordsOf(block);
      drawn.classList.add("word");
      drawn.style.setProperty("--word", word && !other ? colorOf(word) : otherColor);
    },
    text: (block) => wordsOf(block).join(", "),
    legend: () => [...listed.map((word) => swatch("word", colorOf(word), word)),
      ...(known.length > listed.length ? [swatch("word", otherColor, "other")] : [])],
  };
}

function byMeasure(measure) {
  const amounts = modules.map(measure.of);
  const most = amounts.reduce((a, b) => Math.max(a, b), -Infinity);
  const least = isSum(measure) ? 0 : amounts.reduce((a, b) => Math.min(a, b), most);
  const { key, label, text, short } = measure;
  const noun = ["bytes", "ns"].includes(measure.unit) ? "" : ` ${label.toLowerCase()}`;
  // A root of the share: of few, differences are to be seen, too.
  return byAmount(key, label.toLowerCase(),
    (block) => (most > least
      ? Math.sqrt(Math.max(0, block.amount(measure) - least) / (most - least)) : 0),
    (block) => `${text(block.amount(measure))}${noun}`, [short(least), short(most)]);
}

// Of each module what `own` says of it, joined with that of all that is in it.
function upwards(own, join) {
  const all = modules.map(own);
  for (let id = modules.length - 1; id > 0; --id) {
    const around = modules[id].parent.id;
    all[around] = join(all[around], all[id]);
  }
  return all;
}

// How sure the least sure node of a module is; of those without any, 2.
function byConfidence() {
  const own = (module) => Math.min(2, ...[...new Set(module.nodeColumn("how"))]
    .map((how) => data.texts[how].split(" ")[1] / 1e4));
  const all = upwards(own, Math.min);
  const least = (block) => Math.min(...block.modules.map(({ id }) => all[id]));
  return byAmount("confidence", "confidence", (block) => 1 - Math.min(least(block), 1),
    (block) => (least(block) > 1 ? "" : `least sure: ${percent(least(block), 1)}`),
    ["all are sure", "least sure: 0 %"]);
}

// The type that most bytes of parameters have.
function byWeightType() {
  const own = (module) => {
    const bytes = new Map();
    for (const { type, bytes: more } of module.ownParameters()) {
      const kind = type.split("[")[0];
      bytes.set(kind, (bytes.get(kind) ?? 0) + more);
    }
    return bytes;
  };
  const all = upwards(own, (bytes, more) => {
    for (const [kind, count] of more) bytes.set(kind, (bytes.get(kind) ?? 0) + count);
    return bytes;
  });
  return byWord("type", "type of weights",
    ({ id }) => [...all[id]].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "");
}

const changes = [["same", "#b4b4b4"], ["changed inside", "#dddddd"], ["weights", "#56b4e9"],
  ["attributes and wiring", "#cc79a7"], ["parameters", "#f0e442"], ["operators", "#e69f00"],
  ["moved", "#009e73"], ["removed", "#d55e00"]];
// What has become of a module, or of what is in it.
function changeKind(module) {
  const { change } = module;
  if (!change && module.changesInside > 0) return "changed inside";
  const kinds = { "only in A": "removed", operators: "operators", parameters: "parameters",
    wiring: "attributes and wiring", weights: "weights" };
  for (const [word, kind] of Object.entries(kinds)) if (change.includes(word)) return kind;
  return change ? "moved" : "same";
}

// Of two profiles, in steps of a fifth.
const differences = [["less by a fifth", "#0072b2"], ["less", "#56b4e9"], ["the same", "#b4b4b4"],
  ["more", "#e69f00"], ["more by a fifth", "#d55e00"]];
function differenceKind(module) {
  const before = profiled.of(module);
  const after = profiled.after(module);
  if (before === 0 && after === 0) return "";
  const ratio = before > 0 ? after / before : Infinity;
  const place = [0.8, 0.98, 1.02, 1.2].filter((limit) => ratio > limit).length;
  return differences[place][0];
}

// By key; made when they are asked for.
const colorings = new Map([
  ["name", ["name", () => byName]],
  ...(data.comparison ? [["change", ["change", later(() =>
    byWord("change", "change", changeKind, changes))]]] : []),
  ...(data.otherProfile ? [["difference", ["difference", later(() =>
    byWord("difference", "difference", differenceKind, differences))]]] : []),
  ...measures.map((measure) => [measure.key, [measure.label, later(() => byMeasure(measure))]]),
  ["confidence", ["Confidence", later(byConfidence)]],
  ["type", ["Type of weights", later(byWeightType)]],
  ...words.map(({ key, label, of }) => [key, [label, later(() =>
    byWord(key, label, (module) => of(module).split(", ")[0].replace(/ [\d.,]+$/, "")))]]),
]);
