/**
 * The script of a page: filter, links, copying, pan and zoom. The page says everything without it. It reads and writes
 * texts and attributes only, never markup.
 */
export const pageScript = `
"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const button = (text, act) => {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = text;
    element.addEventListener("click", () => act(element));
    return element;
  };

  // A browser has no clipboard for a page that it does not trust.
  if (navigator.clipboard) for (const code of all(".copy")) {
    const copier = button("Copy", async (element) => {
      await navigator.clipboard.writeText(code.dataset.copy ?? code.textContent);
      element.textContent = "Copied";
      setTimeout(() => { element.textContent = "Copy"; }, 1500);
    });
    copier.className = "copier";
    code.after(copier);
  }

  const entries = all(".entry");
  const groups = all(".group");
  const form = document.getElementById("filter");
  // An entry of many counts as many.
  const sizeOf = (some) => some.reduce((sum, entry) => sum + (all(".addresses > li", entry).length || 1), 0);
  const applyFilter = () => {
    const wanted = all("select", form).filter(({ value }) => value !== "");
    const words = form.elements.text.value.toLowerCase().split(/\\s+/).filter((word) => word !== "");
    for (const entry of entries) {
      const found = entry.dataset.found.split("|");
      entry.hidden = !wanted.every(({ name, value }) => found[name].split(",").includes(value))
        || !words.every((word) => entry.textContent.toLowerCase().includes(word));
    }
    for (const part of all(".part, .group")) part.hidden = all(".entry", part).every((entry) => entry.hidden);
    const [shown, count] = [entries.filter((entry) => !entry.hidden), entries].map(sizeOf);
    if (shown < count) for (const group of groups) group.open = true;
    form.elements.shown.value = shown + " of " + count + " shown";
    document.getElementById("none").hidden = shown > 0;
  };
  if (form) {
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", applyFilter);
    form.addEventListener("reset", () => setTimeout(applyFilter));
    const open = form.elements.open;
    open.addEventListener("click", () => {
      const isOpening = open.textContent === "Open all";
      for (const one of [...entries, ...groups]) if (!one.hidden) one.open = isOpening;
      open.textContent = isOpening ? "Close all" : "Open all";
    });
    applyFilter();
  }

  // The address of the page leads to the entry that was opened last.
  addEventListener("click", ({ target }) => {
    const id = target.closest?.(".entry > summary")?.parentElement.querySelector("[id]").id;
    if (id) history.replaceState(null, "", "#" + encodeURIComponent(id));
  });
  const reveal = () => {
    const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const entry = found?.closest(".entry");
    if (!entry) return;
    if (entry.hidden) { form.reset(); entry.hidden = false; }
    for (let at = entry; at; at = at.parentElement.closest("details")) { at.hidden = false; at.open = true; }
    found.scrollIntoView({ block: "center" });
    entry.querySelector("summary").focus({ preventScroll: true });
  };
  addEventListener("hashchange", reveal);

  const picture = document.querySelector(".picture");
  if (picture) {
    const drawing = picture.querySelector("svg");
    const { width, height } = drawing.viewBox.baseVal;
    let scale = 1;
    // The frame is no wider than the picture.
    const across = () => (picture.parentElement.clientWidth - 2) / width;
    const whole = () => Math.min(1, across(), picture.clientHeight / height);
    // The middle of the picture stays in place.
    const zoom = (factor) => {
      const [x, y] = [picture.clientWidth / 2, picture.clientHeight / 2];
      const [left, top, before] = [picture.scrollLeft + x, picture.scrollTop + y, scale];
      scale = Math.min(Math.max(scale * factor, whole()), 4);
      drawing.setAttribute("width", width * scale);
      drawing.setAttribute("height", height * scale);
      picture.scrollTo((left * scale) / before - x, (top * scale) / before - y);
    };
    // The small text of the picture has 11 pixels: below 8 of the screen it is not readable.
    const readable = 8 / 11;
    const worst = [".stopped", ".missing", ".delete", ".replace", ".archive", ".drift", ".update", ":not(.same)"];
    const open = () => {
      zoom(Math.max(whole(), readable) / scale);
      const node = worst.map((kind) => drawing.querySelector(".node:not(.standin)" + kind)).find((found) => found);
      const [box, view] = [node?.getBoundingClientRect(), picture.getBoundingClientRect()];
      if (box) picture.scrollBy(
        box.x + box.width / 2 - view.x - view.width / 2,
        box.y + box.height / 2 - view.y - view.height / 2);
    };
    picture.classList.add("live");
    const room = Math.min(1, Math.max(readable, across())) * height + 2;
    picture.style.height = Math.round(Math.min(innerHeight * 0.8, room)) + "px";
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.append(
      button("Zoom in", () => zoom(1.25)), button("Zoom out", () => zoom(0.8)), button("Fit", () => zoom(whole() / scale)),
      "Drag, or use arrow keys, + and \\u2212.");
    picture.before(tools);
    const keys = { "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: open };
    picture.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) keys[event.key]?.();
    });
    let moved = 0;
    picture.addEventListener("pointerdown", () => { moved = 0; });
    picture.addEventListener("pointermove", ({ buttons, pointerType, movementX, movementY }) => {
      if (buttons !== 1 || pointerType !== "mouse") return;
      picture.scrollBy(-movementX, -movementY);
      moved += Math.hypot(movementX, movementY);
    });
    picture.addEventListener("dragstart", (event) => event.preventDefault());
    // The end of a drag is no click on a link.
    picture.addEventListener("click", (event) => { if (moved > 5) event.preventDefault(); }, true);
    addEventListener("resize", open);
    open();
  }
  reveal();
})();
`;
