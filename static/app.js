// What a page gains when JavaScript runs. Every page is complete without it.
"use strict";
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const say = (text) => { const region = $("#status"); if (region) region.textContent = text; };
  const cookie = (name, value) => { document.cookie = `${name}=${value};path=/;max-age=31536000;samesite=lax`; };

  // --- theme: no reload, same cookie as the form would set ---------------------------------
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form) return;
    event.preventDefault();
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    cookie("theme", root.dataset.theme);
    $("use", form).setAttribute("href", dark ? "#i-moon" : "#i-sun");
    document.dispatchEvent(new CustomEvent("alldata:theme"));
  });
  if (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches) $("[data-theme-form] use")?.setAttribute("href", "#i-sun");

  // --- dialogs, copy, menus ------------------------------------------------------------------
  document.addEventListener("click", async (event) => {
    const open = event.target.closest("[data-open]");
    if (open) { event.preventDefault(); const box = document.getElementById(open.dataset.open); if (box) box.showModal(); return; }
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      await navigator.clipboard.writeText(copy.dataset.copy);
      say(document.body.dataset.sayCopied); toast(document.body.dataset.sayCopied);
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("click", (event) => {
    if (event.target.matches("dialog")) event.target.close();
  });
  function toast(text) {
    const box = document.createElement("p"); box.textContent = text; $("#toasts").append(box);
    fade(box);
  }
  function fade(box) {
    let kept = false;
    box.addEventListener("pointerenter", () => { kept = true; });
    box.addEventListener("pointerleave", () => { kept = false; setTimeout(() => kept || box.remove(), 2000); });
    setTimeout(() => kept || box.remove(), 6000);
  }
  for (const box of document.querySelectorAll("#toasts > *")) fade(box);

  // --- keyboard -----------------------------------------------------------------------------
  let going = 0;
  const off = () => localStorage.getItem("keys") === "off";
  const box = $("#keys-off");
  if (box) { box.checked = off(); box.addEventListener("change", () => localStorage.setItem("keys", box.checked ? "off" : "on")); }
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("input, textarea, select, [contenteditable]");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") { event.preventDefault(); $("#jump")?.focus(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { const form = $("form[data-ctrl-enter]"); if (form) { event.preventDefault(); form.requestSubmit(); } return; }
    if (event.key === "Escape") { for (const menu of document.querySelectorAll("details.menu[open]")) { menu.open = false; $("summary", menu).focus(); } if (location.hash === "#side") location.hash = ""; }
    if (field || event.ctrlKey || event.metaKey || event.altKey || off() || $("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (going && Date.now() - going < 1500) {
      going = 0;
      const link = $(`.side a[data-key="${CSS.escape(key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    if (key === "g") going = Date.now();
    else if (key === "c") { event.preventDefault(); location.assign("/jobs/new/"); }
    else if (key === "/") { event.preventDefault(); $("#jump")?.focus(); }
    else if (event.key === "?") $("#keys")?.showModal();
    else if (key === "j" || key === "k") moveInList(event, key === "j" ? 1 : -1);
  });
  function moveInList(event, step) {
    const rows = [...document.querySelectorAll("tr.link a[data-row]")];
    if (!rows.length) return;
    event.preventDefault();
    const at = rows.indexOf(document.activeElement);
    rows[Math.max(0, Math.min(rows.length - 1, at + step))].focus();
  }

  // --- htmx: pause hidden tabs, back off after a miss, say stale, keep what is in use --------
  let misses = 0, quietUntil = 0, lastNews = new Date();
  const polls = (element) => (element.getAttribute("hx-trigger") || "").includes("every");
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!polls(event.target)) return;
    const busy = event.target.contains(document.activeElement) && document.activeElement.matches("input, textarea, select");
    if (document.hidden || Date.now() < quietUntil || busy || String(getSelection()) && event.target.contains(getSelection().anchorNode)) event.preventDefault();
  });
  const missed = (event) => {
    if (!polls(event.target)) return;
    misses += 1; quietUntil = Date.now() + Math.min(30000, 2000 * 2 ** (misses - 1));
    if (misses >= 3) stale(true);
  };
  document.addEventListener("htmx:sendError", missed);
  document.addEventListener("htmx:responseError", missed);
  document.addEventListener("htmx:timeout", missed);
  document.addEventListener("htmx:afterRequest", (event) => { if (event.detail.successful) { misses = 0; quietUntil = 0; lastNews = new Date(); stale(false); } });
  function stale(yes) {
    document.body.classList.toggle("is-stale", yes);
    for (const note of document.querySelectorAll(".stale-note span")) note.textContent = `${document.body.dataset.sayStale} ${lastNews.toLocaleTimeString()}`;
  }

  // --- the log follows until the reader scrolls up --------------------------------------------
  document.addEventListener("htmx:beforeSwap", (event) => { const log = event.target.closest(".log"); if (log) log.dataset.atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 24 ? "1" : ""; });
  document.addEventListener("htmx:afterSwap", (event) => { const log = event.target.closest(".log") || $(".log", event.target); if (log && log.dataset.atEnd !== "") log.scrollTop = log.scrollHeight; });
  for (const log of document.querySelectorAll(".log")) log.scrollTop = log.scrollHeight;

  // --- new job --------------------------------------------------------------------------------
  for (const chip of document.querySelectorAll("[data-in-minutes]")) chip.addEventListener("click", () => {
    const field = document.getElementById(chip.dataset.for);
    // The page states the organisation's offset: the field is read in that zone, wherever the reader sits.
    const at = new Date(Date.now() + 60000 * Number(chip.dataset.inMinutes) + 60000 * Number(field.dataset.offsetMinutes));
    field.value = at.toISOString().slice(0, 16);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  for (const input of document.querySelectorAll("input[data-file-into]")) input.addEventListener("change", async () => {
    const file = input.files[0];
    if (!file) return;
    const area = document.getElementById(input.dataset.fileInto);
    area.value = await file.text();
    area.dispatchEvent(new Event("change", { bubbles: true }));
  });
  $("[data-focus-first]")?.focus();
})();
