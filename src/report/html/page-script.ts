/**
 * The script of a page: filter, keys, links, copying, pan and zoom. The page says everything without it. It reads and
 * writes texts and attributes only, never markup.
 */
export const pageScript = `
"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, text, className) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const button = (text, className, act) => {
    const element = make("button", text, className);
    element.type = "button";
    element.addEventListener("click", act);
    return element;
  };

  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  const copier = (label, textOf) => {
    const element = button(label, "copier", async () => {
      await copyText(textOf());
      element.textContent = "Copied";
      setTimeout(() => { element.textContent = label; }, 1500);
    });
    return element;
  };
  for (const code of all(".copy")) code.after(copier("Copy", () => code.dataset.copy ?? code.textContent));

  const entries = all(".entry");
  const form = document.getElementById("filter");
  const texts = new Map();
  const textOf = (entry) => {
    if (!texts.has(entry)) texts.set(entry, entry.textContent.toLowerCase());
    return texts.get(entry);
  };
  const applyFilter = () => {
    const wanted = (name) => form.elements[name]?.value ?? "";
    const words = wanted("text").toLowerCase().split(/\\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const entry of entries) {
      const fits = ["action", "cause", "project"].every((name) => wanted(name) === "" || entry.dataset[name].split(" ").includes(wanted(name)))
        && words.every((word) => textOf(entry).includes(word));
      entry.hidden = !fits;
      if (fits) shown += 1;
    }
    for (const part of all(".part, .group")) part.hidden = all(".entry", part).every((entry) => entry.hidden);
    const isFiltered = shown < entries.length;
    for (const group of all(".group")) if (isFiltered) group.open = true;
    form.elements.shown.value = shown + " of " + entries.length + " shown";
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", applyFilter);
    form.addEventListener("reset", () => setTimeout(applyFilter));
    const open = form.elements.open;
    open.addEventListener("click", () => {
      const isOpening = open.textContent === "Open all";
      for (const entry of entries) if (!entry.hidden) entry.open = isOpening;
      for (const group of all(".group")) group.open = isOpening;
      open.textContent = isOpening ? "Close all" : "Open all";
    });
    applyFilter();
  }

  const idOf = (entry) => entry.querySelector("[id]")?.id ?? "";
  const addLink = (entry) => {
    if (!entry.open || entry.querySelector(".linker")) return;
    const link = copier("Copy link", () => location.href.split("#")[0] + "#" + encodeURIComponent(idOf(entry)));
    link.classList.add("linker");
    entry.querySelector(".body")?.append(link);
  };
  for (const entry of entries) {
    addLink(entry);
    entry.addEventListener("toggle", () => addLink(entry));
  }
  const reveal = () => {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const found = id === "" ? null : document.getElementById(id);
    const entry = found?.closest(".entry");
    if (!entry) return;
    if (entry.hidden) { form.reset(); applyFilter(); }
    const group = entry.closest(".group");
    if (group) group.open = true;
    entry.open = true;
    found.scrollIntoView({ block: "center" });
    entry.querySelector("summary").focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);

  const move = (step) => {
    const open = entries.filter((entry) => !entry.hidden);
    const at = open.findIndex((entry) => entry.contains(document.activeElement));
    const next = open[at === -1 ? (step > 0 ? 0 : open.length - 1) : at + step];
    next?.querySelector("summary").focus();
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    if (event.key === "j") move(1);
    else if (event.key === "k") move(-1);
    else if (event.key === "/" && form) { event.preventDefault(); form.elements.text.focus(); }
  });

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

  const picture = document.querySelector(".picture");
  const drawing = picture?.querySelector("svg");
  if (drawing) {
    const whole = drawing.getAttribute("viewBox").split(" ").map(Number);
    let view = whole;
    const put = (next) => {
      const width = Math.min(Math.max(next[2], 120), whole[2] * 4);
      const height = (width * picture.clientHeight) / Math.max(1, picture.clientWidth);
      const keep = (from, size, start, length) => Math.min(Math.max(from, start - size + 60), start + length - 60);
      view = [keep(next[0], width, whole[0], whole[2]), keep(next[1], height, whole[1], whole[3]), width, height];
      drawing.setAttribute("viewBox", view.map((value) => Math.round(value * 10) / 10).join(" "));
    };
    const zoom = (factor, at = [0.5, 0.5]) =>
      put([view[0] + view[2] * at[0] * (1 - factor), view[1] + view[3] * at[1] * (1 - factor), view[2] * factor, 0]);
    const pan = (x, y) => put([view[0] + view[2] * x, view[1] + view[3] * y, view[2], 0]);
    const shape = () => picture.clientHeight / Math.max(1, picture.clientWidth);
    const within = (center, size, start, length) =>
      size >= length ? start + (length - size) / 2 : Math.min(Math.max(center - size / 2, start), start + length - size);
    const showAt = (center, width) => {
      const height = width * shape();
      put([within(center[0], width, whole[0], whole[2]), within(center[1], height, whole[1], whole[3]), width, 0]);
    };
    const middle = [whole[0] + whole[2] / 2, whole[1] + whole[3] / 2];
    const fit = () => showAt(middle, Math.max(whole[2], whole[3] / shape(), picture.clientWidth));
    // The small text of the picture has 11 pixels: below 8 of the screen it is not readable.
    const worst = [".stopped", ".missing", ".delete", ".replace", ".drift", ".update", "[data-changed]"];
    const open = () => {
      fit();
      const readable = (picture.clientWidth * 11) / 8;
      if (view[2] <= readable) return;
      const found = worst.map((kind) => drawing.querySelector(".node" + kind)).find((node) => node);
      const box = found?.getBBox();
      showAt(box ? [box.x + box.width / 2, box.y + box.height / 2] : [whole[0], whole[1]], readable);
    };
    picture.classList.add("live");
    const shown = Math.min(1, picture.clientWidth / whole[2]) * whole[3];
    picture.style.height = Math.round(Math.min(innerHeight * 0.7, Math.max(160, shown))) + "px";
    addEventListener("beforeprint", () => drawing.setAttribute("viewBox", whole.join(" ")));
    addEventListener("afterprint", () => open());
    drawing.setAttribute("width", "100%");
    drawing.setAttribute("height", "100%");
    const tools = make("div", "", "tools");
    tools.append(
      button("Zoom in", "", () => zoom(0.8)), button("Zoom out", "", () => zoom(1.25)), button("Fit", "", fit),
      make("p", "Drag to move; arrow keys, + and \\u2212 where the picture has the focus; Ctrl with the wheel zooms."));
    picture.before(tools);
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.15 : 0.87, [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
    }, { passive: false });
    picture.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (steps[event.key]) pan(...steps[event.key]);
      else if (event.key === "+" || event.key === "=") zoom(0.8);
      else if (event.key === "-") zoom(1.25);
      else if (event.key === "0") open();
      else return;
      event.preventDefault();
    });
    let from;
    let hasMoved = false;
    picture.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; hasMoved = false; });
    addEventListener("pointermove", (event) => {
      if (!from) return;
      const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
      if (!hasMoved && Math.hypot(x, y) < 5) return;
      hasMoved = true;
      from = [event.clientX, event.clientY];
      pan(-x / picture.clientWidth, -y / picture.clientHeight);
    });
    addEventListener("pointerup", () => { from = undefined; });
    picture.addEventListener("dragstart", (event) => event.preventDefault());
    picture.addEventListener("click", (event) => { if (hasMoved) event.preventDefault(); }, true);
    drawing.addEventListener("focusin", (event) => {
      const box = event.target.getBBox?.();
      if (!box || !event.target.matches(":focus-visible")) return;
      if (box.x < view[0] || box.y < view[1] || box.x + box.width > view[0] + view[2] || box.y + box.height > view[1] + view[3])
        put([box.x + box.width / 2 - view[2] / 2, box.y + box.height / 2 - view[3] / 2, view[2], 0]);
    });
    addEventListener("resize", open);
    open();
  }
  reveal();
})();
`;
