// The modules as a picture: below each module those in it, as wide as they are large.

class Icicle {
  static #narrowest = 3;   // pixels; what is narrower is drawn together
  static #textFrom = 28;

  #frame = document.getElementById("icicle");
  #hint = document.getElementById("hint");
  #zoomTo;
  #cells = [];
  #focus = root;
  #active = root;
  #measure = measures[0];
  #matches = null;

  constructor(zoomTo) {
    this.#zoomTo = zoomTo;
    this.#frame.tabIndex = 0;
    const cellOf = (event) => this.#cells[event.target.closest(".cell")?.dataset.index];
    this.#frame.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (cell?.module) zoomTo(cell.module);
    });
    this.#frame.addEventListener("pointermove", (event) => this.#tell(cellOf(event)));
    this.#frame.addEventListener("pointerleave", () => this.#tell(this.#cellOf(this.#focus)));
    this.#frame.addEventListener("keydown", (event) => this.#press(event));
    new ResizeObserver(() => this.draw()).observe(this.#frame);
  }

  // `matches`: the modules that a search has found; null where nothing is looked for.
  show({ focus, measure, matches }) {
    this.#active = this.#focus = focus;
    this.#measure = measure;
    this.#matches = matches;
    this.draw();
  }

  draw() {
    const line = this.#focus.line;
    this.#cells = [];
    line.slice(0, -1).forEach((module) => this.#add({ module, left: 0, width: 1 }));
    this.#place(this.#focus, 0, 1);
    const deepest = this.#cells.reduce((level, cell) => Math.max(level, cell.level), 0);
    this.#frame.style.setProperty("--levels", deepest + 1);
    this.#frame.replaceChildren(...this.#cells.map((cell, index) => this.#draw(cell, index)));
    this.#activate(this.#focus);
  }

  #add(cell) { this.#cells.push({ level: cell.module?.depth, ...cell }); }

  // The module and what is in it. What has no size has no width.
  #place(module, left, width) {
    const level = module.depth;
    const { of } = this.#measure;
    const inside = module.children.reduce((sum, child) => sum + of(child), 0);
    const isWhole = module === root && this.#measure.total > inside;
    const whole = Math.max(isWhole ? this.#measure.total : of(module), inside);
    this.#add({ module, left, width });
    const narrow = { count: 0, left, width: 0 };
    const flush = () => {
      if (narrow.count && this.#isWide(narrow.width)) {
        this.#add({ ...narrow, level: level + 1, parent: module });
      }
      narrow.count = narrow.width = 0;
    };
    for (const child of module.children) {
      const share = whole > 0 ? (width * of(child)) / whole : 0;
      if (this.#isWide(share)) {
        flush();
        this.#place(child, left, share);
      } else if (share > 0) {
        if (!narrow.count) narrow.left = left;
        narrow.count += 1;
        narrow.width += share;
      }
      left += share;
    }
    flush();
    if (isWhole && this.#measure === profiled && data.profile.unplaced > 0) {
      this.#add({ left, width: (width * data.profile.unplaced) / whole, level: level + 1,
        label: "(not placed)", figure: data.profile.unplaced });
    }
  }

  #isWide(share) { return share * this.#frame.clientWidth >= Icicle.#narrowest; }

  #draw(cell, index) {
    const { module, left, width, level } = cell;
    const isNamed = width * this.#frame.clientWidth >= Icicle.#textFrom;
    const drawn = element("div", {
      class: module ? "cell" : "cell merged", id: `cell-${index}`, role: "treeitem",
      "aria-level": level + 1, "aria-label": this.#describe(cell), "data-index": index,
      text: isNamed ? this.#label(cell) : "",
    });
    drawn.style.left = `${100 * left}%`;
    drawn.style.width = `${100 * width}%`;
    drawn.style.setProperty("--level", level);
    if (module) drawn.style.setProperty("--hue", hueOf(module.name));
    drawn.classList.toggle("around", module !== undefined && level < this.#focus.depth);
    drawn.classList.toggle("dim", this.#matches !== null && !this.#matches.has(module));
    return drawn;
  }

  #label({ module, label, count }) {
    return module?.name ?? label ?? `${withThousands(count)} more, too narrow to draw`;
  }

  #describe(cell) {
    const { module, parent } = cell;
    if (!module && parent) return `${this.#label(cell)}: see the table below ${parent.path}`;
    const { of, label, text, total, unit } = this.#measure;
    const size = module ? of(module) : cell.figure;
    const noun = text === humanBytes || unit === "ns" ? "" : ` ${label.toLowerCase()}`;
    const share = percent(size, total);
    return `${module?.path ?? cell.label}   ${text(size)}${noun}, ${share}`;
  }

  #cellOf(module) { return this.#cells.find((cell) => cell.module === module); }

  #tell(cell) { this.#hint.textContent = cell ? this.#describe(cell) : ""; }

  #activate(module) {
    const cell = this.#cellOf(module);
    if (!cell) return;
    this.#active = module;
    this.#frame.querySelector(".active")?.classList.remove("active");
    const drawn = this.#frame.children[this.#cells.indexOf(cell)];
    drawn.classList.add("active");
    this.#frame.setAttribute("aria-activedescendant", drawn.id);
    this.#tell(cell);
  }

  #press(event) {
    const beside = (step) => {
      const level = this.#cells.filter((cell) => cell.module?.depth === this.#active.depth);
      return level[level.indexOf(this.#cellOf(this.#active)) + step]?.module;
    };
    const moves = {
      ArrowUp: () => this.#active.parent,
      ArrowDown: () => this.#active.children.find((child) => this.#cellOf(child)),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
      Home: () => root,
    };
    if (event.key === "Enter" || event.key === " ") {
      this.#zoomTo(this.#active);
    } else if (moves[event.key]) {
      this.#activate(moves[event.key]());
    } else {
      return;
    }
    event.preventDefault();
  }
}

// From the name without its number: modules that are alike look alike.
function hueOf(name) {
  let hash = 0;
  for (const char of name.replace(/\d+/g, "")) hash = (hash * 31 + char.codePointAt(0)) % 9973;
  return (hash * 137.508) % 360;
}
