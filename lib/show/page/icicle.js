// The modules as a picture: below each module those in it, as wide as they are large.

class Icicle {
  static #narrowest = 3;   // pixels; what is narrower is drawn together
  static #textFrom = 28;

  #frame = document.getElementById("icicle");
  #hint = document.getElementById("hint");
  #enter;
  #cells = [];
  #active = root;
  #state;

  // `enter` is called with the module of the cell that somebody chooses.
  constructor(enter) {
    this.#enter = enter;
    this.#frame.tabIndex = 0;
    const cellOf = (event) => this.#cells[event.target.closest(".cell")?.dataset.index];
    this.#frame.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (cell?.block) enter(cell.block.module);
    });
    this.#frame.addEventListener("pointermove", (event) => this.#tell(cellOf(event)));
    this.#frame.addEventListener("pointerleave", () => this.#tell(this.#cellOf(this.#active)));
    this.#frame.addEventListener("keydown", (event) => this.#press(event));
    new ResizeObserver(() => this.draw()).observe(this.#frame);
  }

  show(state) {
    this.#state = state;
    this.#active = state.focus;
    this.draw();
  }

  draw() {
    if (!this.#state) return;
    const { focus } = this.#state;
    this.#cells = [];
    for (const module of focus.line.slice(0, -1)) {
      this.#add({ block: new Block([module]), left: 0, width: 1 });
    }
    this.#place(new Block([focus]), 0, 1);
    const deepest = this.#cells.reduce((level, cell) => Math.max(level, cell.level), 0);
    this.#frame.style.setProperty("--levels", deepest + 1);
    this.#frame.replaceChildren(...this.#cells.map((cell, index) => this.#draw(cell, index)));
    this.#activate(focus);
  }

  // For a picture in a file: what is drawn where, in pixels.
  get size() { return [this.#frame.clientWidth, this.#frame.scrollHeight]; }
  get boxes() {
    return [...this.#frame.children].map((cell) => ({
      left: cell.offsetLeft, top: cell.offsetTop, width: cell.offsetWidth - 1,
      height: cell.offsetHeight - 1, text: cell.textContent, style: getComputedStyle(cell),
      title: cell.getAttribute("aria-label"),
    }));
  }

  #add(cell) { this.#cells.push({ level: cell.block?.module.depth, ...cell }); }

  // The block and what is in it. What has no size has no width.
  #place(block, left, width) {
    const { measure, open } = this.#state;
    const level = block.module.depth;
    const inside = block.inside(open);
    const sizes = inside.map((child) => child.amount(measure));
    const sum = sizes.reduce((total, size) => total + size, 0);
    const isWhole = block.module === root && measure.total > sum;
    const whole = Math.max(isWhole ? measure.total : block.amount(measure), sum);
    this.#add({ block, left, width });
    const narrow = { count: 0, left, width: 0 };
    const flush = () => {
      if (narrow.count && this.#isWide(narrow.width)) {
        this.#add({ ...narrow, level: level + 1, parent: block.module });
      }
      narrow.count = narrow.width = 0;
    };
    inside.forEach((child, i) => {
      const share = whole > 0 ? (width * sizes[i]) / whole : 0;
      if (this.#isWide(share)) {
        flush();
        this.#place(child, left, share);
      } else if (share > 0) {
        if (!narrow.count) narrow.left = left;
        narrow.count += child.count;
        narrow.width += share;
      }
      left += share;
    });
    flush();
    if (isWhole && measure === profiled && data.profile.unplaced > 0) {
      this.#add({ left, width: (width * data.profile.unplaced) / whole, level: level + 1,
        label: "(not placed)", figure: data.profile.unplaced });
    }
  }

  #isWide(share) { return share * this.#frame.clientWidth >= Icicle.#narrowest; }

  #draw(cell, index) {
    const { block, left, width, level } = cell;
    const { focus, marked, coloring } = this.#state;
    const isNamed = width * this.#frame.clientWidth >= Icicle.#textFrom;
    const drawn = element("div", {
      class: block ? "cell" : "cell merged", id: `cell-${index}`, role: "treeitem",
      "aria-level": level + 1, "aria-label": this.#describe(cell), "data-index": index,
      text: isNamed ? this.#label(cell) : "",
    });
    drawn.style.left = `${100 * left}%`;
    drawn.style.width = `${100 * width}%`;
    drawn.style.setProperty("--level", level);
    if (!block) return drawn;
    coloring.paint(drawn, block);
    drawn.classList.toggle("around", level < focus.depth);
    drawn.classList.toggle("run", block.isRun);
    drawn.classList.toggle("dim", marked !== null && !block.modules.some((one) => marked.has(one)));
    return drawn;
  }

  #label({ block, label, count }) {
    return block?.name ?? label ?? `${withThousands(count)} more, too narrow to draw`;
  }

  #describe(cell) {
    const { block, parent, figure } = cell;
    if (!block && parent) return `${this.#label(cell)}: see the table below ${parent.path}`;
    const { measure, coloring } = this.#state;
    const size = block ? block.amount(measure) : figure;
    const noun = ["bytes", "ns"].includes(measure.unit) ? "" : ` ${measure.label.toLowerCase()}`;
    const texts = [`${measure.text(size)}${noun}`];
    if (isSum(measure)) texts.push(percent(size, measure.total));
    if (block?.isRun) texts.push(block.eachText(measure));
    const color = block && coloring.text(block);
    if (color) texts.push(color);
    const name = block?.module.parent ? block.path : block?.name;
    return `${name ?? cell.label}   ${texts.join(", ")}`;
  }

  #cellOf(module) { return this.#cells.find(({ block }) => block?.module === module); }

  #tell(cell) { this.#hint.textContent = cell ? this.#describe(cell) : ""; }

  #activate(module) {
    const cell = module && this.#cellOf(module);
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
      const level = this.#cells.filter((cell) => cell.block?.module.depth === this.#active.depth);
      return level[level.indexOf(this.#cellOf(this.#active)) + step]?.block.module;
    };
    const moves = {
      ArrowUp: () => this.#active.parent,
      ArrowDown: () => this.#active.children.find((child) => this.#cellOf(child)),
      ArrowLeft: () => beside(-1),
      ArrowRight: () => beside(1),
      Home: () => root,
    };
    if (event.key === "Enter" || event.key === " ") {
      this.#enter(this.#active);
    } else if (moves[event.key]) {
      this.#activate(moves[event.key]());
    } else {
      return;
    }
    event.preventDefault();
  }
}
