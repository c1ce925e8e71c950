// The modules as a table that opens and closes.

class Tree {
  static #leastName = 200;  // pixels
  static #onPhone = 140;

  #frame = document.getElementById("tree");
  #menu = document.getElementById("columns");
  #rows;
  #enter;
  #opened = new Set([root]);  // modules; runs are open where state.open says so
  #shown = [];                // a block and its level for each row
  #active = new Block([root]);
  #all;                       // columns that there are
  #columns = [];              // ... and those that are shown
  #state;
  #focus;                     // as it was shown last
  #change;

  // `enter` is called with the module of the row that somebody chooses, `change` with what else of
  // the state is to be another.
  constructor(enter, change) {
    this.#enter = enter;
    this.#change = change;
    this.#all = allColumns();
    this.#frame.setAttribute("role", "treegrid");
    this.#frame.setAttribute("aria-labelledby", "modules-title");
    this.#frame.tabIndex = 0;
    this.#rows = new Rows(this.#frame, (index) => this.#row(index));
    this.#frame.addEventListener("click", (event) => this.#click(event));
    this.#frame.addEventListener("keydown", (event) => this.#press(event));
    for (const column of this.#all) this.#menu.append(this.#choice(column));
    for (const child of root.children.length <= 20 ? root.children : []) this.#opened.add(child);
  }

  #choice(column) {
    const input = element("input", { type: "checkbox" });
    input.checked = column.isShown;
    input.addEventListener("change", () => {
      column.isShown = input.checked;
      this.show(this.#state);
    });
    return element("label", {}, input, ` ${column.title}`);
  }

  // The measure that is chosen comes first, and what its share is.
  #chooseColumns({ measure }) {
    const chosen = this.#all.find(({ key }) => key === measure.key);
    const isNarrow = this.#frame.clientWidth < 450;
    // Of what is no sum, parts have no share.
    const share = isSum(measure) && !isNarrow ? [shareColumn(measure)] : [];
    const others = this.#all.filter((column) => column !== chosen && column.isShown);
    this.#columns = [chosen, ...share, ...others];
    const name = isNarrow ? Tree.#onPhone : Tree.#leastName;
    const widths = this.#columns.map(({ width }) => width);
    const least = widths.reduce((sum, width) => sum + width, name);
    this.#frame.style.setProperty("--columns",
      [`minmax(${name}px, 1fr)`, ...widths.map((width) => `${width}px`)].join(" "));
    this.#frame.closest(".columns").style.setProperty("--least-width", `${least}px`);
    this.#frame.querySelector(".titles")?.remove();
    this.#frame.prepend(this.#titles());
  }

  // A click sorts by a column, the largest first, then the least, then as data flows.
  #titles() {
    const { sort } = this.#state;
    const title = ({ key, title: text, kind, about }) => {
      if (!key) return element("span", { role: "columnheader", class: kind, text });
      const button = element("button", { type: "button", text, title: about });
      button.addEventListener("click", () => {
        const next = { [key]: `-${key}`, [`-${key}`]: undefined };
        this.#change({ sort: sort in next ? next[sort] : key });
      });
      const order = { [key]: "descending", [`-${key}`]: "ascending" }[sort];
      return element("span", { role: "columnheader", class: kind, "aria-sort": order }, button);
    };
    return element("div", { class: "row titles", role: "row" },
      title({ key: "name", title: "Module" }), ...this.#columns.map(title));
  }

  show(state) {
    const { focus, shown } = state;
    this.#state = state;
    this.#chooseColumns(state);
    if (focus !== this.#focus) {
      focus.line.slice(0, -1).forEach((module) => this.#opened.add(module));
    }
    this.#focus = focus;
    this.#update(shown === null || shown.has(focus) ? focus : [...state.marked ?? []][0]);
  }

  setOpen(isOpen) {
    this.#opened = new Set(isOpen ? modules : [root]);
    const open = new Set(isOpen ? runs.values() : []);
    const { module } = this.#active;
    this.#change({ open });
    this.#update(isOpen ? module : module.line[Math.min(1, module.depth)]);
  }

  get active() { return this.#active.module; }
  focus() { this.#frame.focus(); }

  #isOpen({ module, isRun }) {
    return this.#state.shown !== null || (isRun ? this.#state.open : this.#opened).has(module);
  }

  // What is in a block, in order, as far as it is looked for.
  #inside(block) {
    const { shown, sort } = this.#state;
    const each = (list) => list.map((module) => new Block([module]));
    let blocks = block.isRun ? each(block.modules) : each(block.module.children);
    if (shown) blocks = blocks.filter(({ module }) => shown.has(module));
    // An open run has a row, too.
    else if (!block.isRun) blocks = block.inside(new Set());
    const column = sort && this.#all.concat({ key: "name", sorts: ({ name }) => name })
      .find(({ key }) => key === sort.replace(/^-/, ""));
    if (!column) return blocks;
    const sign = sort.startsWith("-") ? 1 : -1;
    const order = (a, b) => (typeof a === "string"
      ? -a.localeCompare(b, "en", { numeric: true }) : a - b);
    return blocks.sort((a, b) => sign * order(column.sorts(a), column.sorts(b)));
  }

  #update(active) {
    this.#shown = [];
    const visit = (block, level) => {
      this.#shown.push({ block, level });
      if (this.#isOpen(block)) this.#inside(block).forEach((each) => visit(each, level + 1));
    };
    const { shown } = this.#state;
    if (shown === null || shown.size > 0) visit(new Block([root]), 0);
    this.#frame.setAttribute("aria-rowcount", this.#shown.length + 1);
    this.#rows.show(this.#shown.length);
    this.#activate(this.#rowOf(active));
  }

  // Its own row, or that of the run that it is in.
  #rowOf(module) {
    const own = this.#shown.findIndex(({ block }) => !block.isRun && block.module === module);
    return own >= 0 ? own : this.#shown.findIndex(({ block }) => block.modules.includes(module));
  }

  #activate(index) {
    if (index < 0 || index >= this.#shown.length) return;
    this.#active = this.#shown[index].block;
    this.#rows.reveal(index);
    this.#frame.setAttribute("aria-activedescendant", rowId(this.#active));
  }

  #row(index) {
    const { block, level } = this.#shown[index];
    const { focus, coloring } = this.#state;
    const hasMore = block.isRun || this.#inside(block).length > 0;
    const row = element("div", {
      class: "row", role: "row", id: rowId(block), "data-index": index,
      "aria-level": level + 1, "aria-rowindex": index + 2,
      "aria-expanded": hasMore ? this.#isOpen(block) : undefined,
      "aria-selected": !block.isRun && block.module === focus,
    });
    const mark = element("span", { class: "swatch", "aria-hidden": true });
    coloring.paint(mark, block);
    const name = element("span", { role: "gridcell", class: "name", title: block.module.path },
      element("span", { class: hasMore ? "twisty" : "twisty none", "aria-hidden": true }),
      mark, element("span", { class: "label", text: block.name }));
    name.style.setProperty("--level", level);
    row.append(name, ...this.#columns.map((column) => this.#cell(block, column)));
    row.classList.toggle("active", rowId(block) === rowId(this.#active));
    return row;
  }

  #cell(block, { kind, text, whole = text, share }) {
    const attributes = { role: "gridcell", class: kind, text: text(block), title: whole(block) };
    const cell = element("span", attributes);
    if (share) cell.style.setProperty("--share-width", share(block));
    return cell;
  }

  #toggle({ module, isRun }, isOpen) {
    const open = isRun ? new Set(this.#state.open) : this.#opened;
    if (isOpen) open.add(module); else open.delete(module);
    if (isRun) this.#change({ open });
    this.#update(module);
  }

  #click(event) {
    const row = event.target.closest(".row[data-index]");
    if (!row) return;
    const { block } = this.#shown[row.dataset.index];
    const isTwisty = event.target.classList.contains("twisty") && block.module.children.length;
    if (block.isRun || isTwisty) {
      this.#toggle(block, !this.#isOpen(block));
    } else {
      this.#enter(block.module);
    }
  }

  #press(event) {
    const at = this.#shown.findIndex(({ block }) => rowId(block) === rowId(this.#active));
    if (at < 0 || event.target !== this.#frame) return;
    const { block, level } = this.#shown[at];
    const isOpen = this.#isOpen(block) && this.#shown[at + 1]?.level > level;
    const around = () => this.#shown.findLastIndex((row, i) => i < at && row.level < level);
    const choose = () => (block.isRun ? this.#toggle(block, !isOpen) : this.#enter(block.module));
    const moves = {
      ArrowDown: () => this.#activate(at + 1),
      ArrowUp: () => this.#activate(at - 1),
      PageDown: () => this.#activate(Math.min(at + this.#rows.inSight, this.#shown.length - 1)),
      PageUp: () => this.#activate(Math.max(at - this.#rows.inSight, 0)),
      Home: () => this.#activate(0),
      End: () => this.#activate(this.#shown.length - 1),
      ArrowRight: () => (isOpen ? this.#activate(at + 1) : this.#toggle(block, true)),
      ArrowLeft: () => (isOpen && this.#state.shown === null
        ? this.#toggle(block, false) : this.#activate(around())),
      Enter: choose,
      " ": choose,
    };
    if (!moves[event.key]) return;
    moves[event.key]();
    event.preventDefault();
  }
}

const rowId = ({ module, isRun }) => `row-${module.id}${isRun ? "-run" : ""}`;

function allColumns() {
  // In pixels: so many letters, and what is around them.
  const widthOf = (...texts) => 22 + 8.2 * texts.reduce((most, text) =>
    Math.max(most, text.length), 0);
  const measured = measures.map((measure) => ({
    key: measure.key, title: measure.label, kind: "figure", isShown: true,
    width: widthOf(measure.label, measure.short(measure.total), measure.unit === "bytes"
      ? "999.9 MB" : ""),
    text: (block) => measure.short(block.amount(measure)),
    whole: (block) => (block.isRun
      ? `${measure.text(block.amount(measure))}, ${block.eachText(measure)}`
      : measure.text(measure.of(block.module))),
    sorts: (block) => block.amount(measure),
  }));
  const columns = [measured[2], measured[0], measured[1], ...measured.slice(3)];
  const ofWords = (key, title, of, short = of) => ({
    key, title, isShown: true, text: ({ module }) => short(module),
    width: Math.min(260, modules.reduce((most, module) =>
      Math.max(most, widthOf(short(module), title)), 0)),
    whole: ({ module }) => of(module), sorts: ({ module }) => of(module),
  });
  if (modules.some((module) => module.className)) {
    columns.unshift(ofWords("class", "Class", (module) => module.className,
      (module) => module.className.split(".").at(-1)));
  }
  columns.push(...words.map(({ key, label, of }) => ofWords(key, label, of)));
  if (data.comparison) columns.push(ofWords("change", "Change", changeText));
  return columns;
}

const shareColumn = (measure) => ({
  title: "Share", width: 138, kind: "share",
  text: (block) => percent(block.amount(measure), measure.total),
  share: (block) => (measure.total > 0 ? block.amount(measure) / measure.total : 0),
});

// What another model has in the module's place.
function changeText(module) {
  if (module.change) return module.change;
  return module.changesInside > 0 ? `${withThousands(module.changesInside)} inside` : "same";
}
