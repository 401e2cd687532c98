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
    form.addEventListener("reset", (event) => {
      event.preventDefault();
      for (const field of all("input, select", form)) field.value = "";
      applyFilter();
    });
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
    if (entry.hidden) form.reset();
    for (let at = entry; at; at = at.parentElement.closest("details")) at.open = true;
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

/** The style of a page. It names no file and no font that is loaded. */
export const pageStyle = `
:root { color-scheme: light dark; --t1: .8rem; --t2: .875rem; --t3: .9375rem; --t4: 1.0625rem; --t5: 1.25rem; --t6: 1.5rem;
  --bg: light-dark(#ffffff, #0d1117); --panel: light-dark(#f6f8fa, #151b23); --fg: light-dark(#1f2328, #e6edf3); --muted: light-dark(#59636e, #9ba4ae);
  --line: light-dark(#d1d9e0, #3d444d); --link: light-dark(#0a58ca, #79b8ff); --shade: light-dark(rgba(31, 35, 40, .06), rgba(0, 0, 0, .3));
  --create: light-dark(#116329, #7ee787); --create-bg: light-dark(#dafbe1, #12331d); --update: light-dark(#7d4e00, #e3b341); --update-bg: light-dark(#fff8c5, #3a2d0c);
  --delete: light-dark(#a40e26, #ffa198); --delete-bg: light-dark(#ffebe9, #4a1a1d); --replace: light-dark(#6639ba, #d2a8ff); --replace-bg: light-dark(#fbefff, #34204f);
  --adopt: light-dark(#0550ae, #a5d6ff); --adopt-bg: light-dark(#ddf4ff, #12304f) }
* { box-sizing: border-box }
html { scroll-padding-top: 3.5rem }
body { margin: 0; background: var(--bg); color: var(--fg); font: var(--t3)/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
code, pre, del, ins, .mark { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
code, pre, del, ins { font-size: var(--t2); overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: 2px }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px }
.skip { position: absolute; left: -99rem; top: 0; padding: .6rem 1rem; background: var(--bg); z-index: 3 }
.skip:focus { left: .5rem; top: .5rem }
.top { padding: 1.6rem max(1rem, calc((100vw - 76rem) / 2)) 1.2rem; background: var(--panel); border-bottom: 1px solid var(--line); border-top: 5px solid var(--ink) }
h1 { margin: 0; font-size: var(--t4); font-weight: 600; color: var(--muted) }
.line { margin: .2rem 0 .5rem; font-size: var(--t6); line-height: 1.35; font-weight: 600 }
.verdict { display: inline-block; margin-right: .5rem; padding: .05em .6em; border-radius: 2em; font-size: var(--t2); vertical-align: .18em; border: 1px solid; color: var(--ink); background: var(--paper) }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 1.6rem; margin: .8rem 0 0; font-size: var(--t2) }
.facts div { display: flex; gap: .45rem; min-width: 0 } .facts dt { color: var(--muted); flex: none } .facts dd { margin: 0; overflow-wrap: anywhere }
nav { position: sticky; top: 0; z-index: 2; background: var(--bg); border-bottom: 1px solid var(--line); padding: 0 max(1rem, calc((100vw - 76rem) / 2)); overflow-x: auto }
nav ul { display: flex; gap: 1.3rem; white-space: nowrap } nav a { display: block; padding: .55rem 0; color: var(--fg); text-decoration: none } nav a:hover { text-decoration: underline }
ul.plain { list-style: none; margin: 0; padding: 0 }
main { padding: 0 max(1rem, calc((100vw - 76rem) / 2)) 3rem; outline: none }
section { margin-top: 2.2rem }
h2 { font-size: var(--t5); margin: 0 0 .7rem } h3 { font-size: var(--t3); margin: 1.3rem 0 .5rem; color: var(--muted) }
.count { display: inline-block; min-width: 1.6em; padding: 0 .45em; border-radius: 1em; background: var(--shade); color: var(--fg); font-size: var(--t1); text-align: center; font-weight: 500 }
p { margin: .4rem 0 } section li { margin: .3rem 0 }
.same, .forget, .no-op { --ink: var(--muted); --paper: var(--panel) } .create, .pass, .calm { --ink: var(--create); --paper: var(--create-bg) } .update, .drift, .warn, .act { --ink: var(--update); --paper: var(--update-bg) }
.delete, .archive, .missing, .fail, .stop { --ink: var(--delete); --paper: var(--delete-bg) } .replace { --ink: var(--replace); --paper: var(--replace-bg) } .adopt, .pending { --ink: var(--adopt); --paper: var(--adopt-bg) } .blocked { --ink: var(--bg); --paper: var(--delete) }
table { border-collapse: collapse; max-width: 100% }
th { text-align: left; font-weight: 600 } th, td { padding: .32rem .9rem .32rem 0; vertical-align: top; border-bottom: 1px solid var(--line) }
thead th { color: var(--muted); font-weight: 500; font-size: var(--t2) }
.part { margin-top: .4rem }
.group { margin: .4rem 0 } .group > summary { padding: .5rem .8rem; cursor: pointer; border: 1px solid var(--line); border-radius: 8px; background: var(--panel) } .group[open] > summary { position: sticky; top: 2.6rem; z-index: 1 } .group > .entry { margin-left: 1rem }
.entry { border: 1px solid var(--line); border-radius: 8px; margin: .4rem 0; background: var(--bg); content-visibility: auto; contain-intrinsic-size: auto 2.6rem }
.entry > summary { padding: .5rem .8rem; cursor: pointer; border-radius: 8px } .entry > summary:hover { background: var(--panel) }
.entry[open] > summary { background: var(--panel); border-bottom: 1px solid var(--line); border-radius: 8px 8px 0 0 }
.entry > summary code { font-weight: 600 }
.entry:has(:target) { border-color: var(--link); box-shadow: 0 0 0 1px var(--link) }
.body:empty { padding: 0 } .entry:has(.body:empty) > summary { border-bottom: 0; border-radius: 8px } .body:not(:empty) { padding: .6rem .9rem .7rem; overflow-x: auto; scroll-margin-top: 6.5rem }
.addresses { columns: 19rem; margin: 0; padding: .6rem .9rem 0 2rem } .addresses li { scroll-margin-top: 6.5rem } .addresses li:target { background: var(--update-bg) }
.mark { display: inline-block; padding: 0 .5em; border-radius: 5px; font-size: var(--t1); font-weight: 600; border: 1px solid; white-space: nowrap; color: var(--ink); background: var(--paper) }
.mark.blocked { border-color: var(--delete) }
.effect { font-size: var(--t1); padding: 0 .55em; border-radius: 2em; background: var(--shade); white-space: nowrap }
.fields th, .fields td { border: 0; padding-block: .15rem } .fields th { font-weight: 400; color: var(--muted); font-size: var(--t2); min-width: 7rem } .fields th code { font-weight: 600; color: var(--fg) } .rows tr:last-child > * { border-bottom: 0 }
pre { margin: .4rem 0; padding: .5rem .7rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; white-space: pre; line-height: 1.6 } pre i { font-style: normal; color: var(--muted) }
ins, del { display: inline-block; min-width: calc(100% + 1.4rem); margin: 0 -.7rem; padding: 0 .7rem; text-decoration: none } ins { color: var(--create); background: var(--create-bg) } del { color: var(--delete); background: var(--delete-bg) }
.error { color: var(--delete) } .warning { color: var(--update) }
.copy { background: var(--panel); border: 1px solid var(--line); border-radius: 5px; padding: .1em .4em }
button, input, select { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: .28rem .6rem; min-height: 2.1rem } button { cursor: pointer; background: var(--panel) } button:hover { border-color: var(--muted) }
button.copier { margin-left: .4rem; padding: 0 .5rem; min-height: 0; font-size: var(--t1) }
#filter { display: flex; flex-wrap: wrap; gap: .6rem .9rem; align-items: last baseline; padding: .8rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px } #filter[hidden] { display: none }
#filter input, #filter select { height: 2.1rem }
#filter label { display: grid; gap: .15rem; font-size: var(--t2); color: var(--muted) } #filter input, #filter select { color: var(--fg); min-width: 9rem; max-width: 100% } #filter input[type=search] { min-width: min(17rem, 80vw) }
#filter output { margin-left: auto; color: var(--muted); font-size: var(--t2) }
.picture { border: 1px solid var(--line); border-radius: 8px; overflow: auto; width: fit-content; max-width: 100%; max-height: 80vh; background: var(--bg) } .picture svg { display: block } .picture.live { cursor: grab; user-select: none } .picture.live:active { cursor: grabbing }
.tools { display: flex; gap: .4rem; margin-bottom: .4rem; flex-wrap: wrap; align-items: center; color: var(--muted); font-size: var(--t2) } .tools button { color: var(--fg) }
.topology .paper { fill: var(--bg) } .box > rect { fill: var(--panel); stroke: var(--line) } .edge path:first-of-type { stroke: var(--muted) } .edge path + path { fill: var(--muted) } .edge:hover path:first-of-type { stroke: var(--link); stroke-width: 2.5 } .topology text { fill: var(--muted) } .edge text { stroke: var(--panel) } .node .title { fill: var(--fg) }
.box:not(.same) > rect { stroke: var(--ink) } .node .face { fill: var(--paper); stroke: var(--ink) } .node.same .face { fill: var(--bg); stroke: var(--line) } .node .inner { fill: none !important } .node .told { fill: var(--ink) } .picture a:focus-visible { outline: 3px solid var(--link) } .picture a:hover .face { stroke-width: 3 }
.legend { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem .8rem; font-size: var(--t2); color: var(--muted); margin: .5rem 0 }
footer { color: var(--muted); font-size: var(--t2); padding: 1rem max(1rem, calc((100vw - 76rem) / 2)); border-top: 1px solid var(--line) }
@media (max-width: 40rem) { pre { white-space: pre-wrap } .line { font-size: var(--t5) } .facts { flex-direction: column } #filter label, #filter input, #filter select { width: 100% } .fields tr, .fields th, .fields td { display: block; padding: .1rem 0 } .rows thead { display: none } .rows tr, .rows tr > * { display: block; border-bottom: 0; padding: .1rem 0 } .rows tr { border-bottom: 1px solid var(--line); padding: .4rem 0 } }
@media print { :root { color-scheme: light; --panel: #fff } nav, .skip, #filter, .tools, .copier, footer { display: none !important } .top { padding-top: 0 } .entry { break-inside: avoid-page; content-visibility: visible } details::details-content { content-visibility: visible; display: block; height: auto } .picture { max-height: none; height: auto !important; overflow: visible } .picture svg { max-width: 100%; height: auto } .body { overflow: visible } pre { white-space: pre-wrap } a { color: inherit; text-decoration: none } }
`;
