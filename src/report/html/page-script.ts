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

  const picture = document.querySelector(".picture");
  const drawing = picture?.querySelector("svg");
  if (drawing) {
    const [width, height] = drawing.getAttribute("viewBox").split(" ").slice(2).map(Number);
    let scale = 1;
    const whole = () => Math.min(1, picture.clientWidth / width, picture.clientHeight / height);
    const setScale = (next) => {
      scale = Math.min(Math.max(next, whole()), 4);
      drawing.setAttribute("width", width * scale);
      drawing.setAttribute("height", height * scale);
    };
    // What is at a point of the window stays there.
    const zoom = (factor, x = picture.clientWidth / 2, y = picture.clientHeight / 2) => {
      const [left, top, before] = [picture.scrollLeft + x, picture.scrollTop + y, scale];
      setScale(scale * factor);
      picture.scrollTo((left * scale) / before - x, (top * scale) / before - y);
    };
    // The small text of the picture has 11 pixels: below 8 of the screen it is not readable.
    const readable = 8 / 11;
    const worst = [".stopped", ".missing", ".delete", ".replace", ".drift", ".update", "[data-changed]"];
    const open = () => {
      setScale(Math.max(whole(), readable));
      const node = worst.map((kind) => drawing.querySelector(".node:not(.standin)" + kind)).find((found) => found);
      const [box, view] = [node?.getBoundingClientRect(), picture.getBoundingClientRect()];
      if (box) picture.scrollBy(
        box.x + box.width / 2 - view.x - view.width / 2,
        box.y + box.height / 2 - view.y - view.height / 2);
    };
    picture.classList.add("live");
    const room = Math.min(1, Math.max(readable, picture.clientWidth / width)) * height + 2;
    picture.style.height = Math.round(Math.min(innerHeight * 0.7, room)) + "px";
    const tools = make("div", "", "tools");
    tools.append(
      button("Zoom in", "", () => zoom(1.25)), button("Zoom out", "", () => zoom(0.8)), button("Fit", "", () => setScale(whole())),
      make("p", "Drag to move; arrow keys, + and \\u2212 where the picture has the focus; Ctrl with the wheel zooms."));
    picture.before(tools);
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = picture.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 0.87 : 1.15, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    const keys = { "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: open };
    picture.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) keys[event.key]?.();
    });
    let from;
    let hasMoved = false;
    picture.addEventListener("pointerdown", (event) => {
      hasMoved = false;
      if (event.pointerType === "mouse") from = [event.clientX, event.clientY];
    });
    addEventListener("pointermove", (event) => {
      if (!from) return;
      const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
      if (!hasMoved && Math.hypot(x, y) < 5) return;
      hasMoved = true;
      from = [event.clientX, event.clientY];
      picture.scrollBy(-x, -y);
    });
    addEventListener("pointerup", () => { from = undefined; });
    picture.addEventListener("dragstart", (event) => event.preventDefault());
    picture.addEventListener("click", (event) => { if (hasMoved) event.preventDefault(); }, true);
    addEventListener("resize", open);
    open();
  }
  reveal();
})();
`;
